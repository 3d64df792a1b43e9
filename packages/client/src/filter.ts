import type { Address, Message, MessageSummary } from './messages.ts'
import { quote } from './quote.ts'

/** A text to be contained, in upper or lower case, or a regular expression to match. */
export type TextPattern = string | RegExp

/** Which messages match; every given field must. */
export type MessageFilter = {
  /** Compared with `Name <address>` of the sender. */
  readonly from?: TextPattern | undefined
  readonly subject?: TextPattern | undefined
  /** Compared with the readable text. */
  readonly text?: TextPattern | undefined
  /** A search query, such as `from:acme -has:attachment`. */
  readonly q?: string | undefined
}

/** Why a message does not match a wait for a code. */
export const NO_OTP = 'no one-time code was found in it'

/** Whether a text matches the pattern. */
export function matches(text: string, pattern: TextPattern): boolean {
  if (typeof pattern === 'string') return text.toLowerCase().includes(pattern.toLowerCase())
  // Not `test`: with the flag g it would begin where the last call ended.
  return text.search(pattern) >= 0
}

/** Why a message of a list does not match, or null when it may. */
export function summaryMismatch(
  summary: MessageSummary,
  { from, subject }: MessageFilter,
): string | null {
  const sender = formatAddress(summary.from)
  if (from !== undefined && !matches(sender, from)) {
    return `its sender ${quote(sender)} ${doesNotMatch(from)}`
  }
  if (subject !== undefined && !matches(summary.subject ?? '', subject)) {
    return `its subject ${doesNotMatch(subject)}`
  }
  return null
}

/** Why a message does not match, or null when it does. */
export function mismatch(message: Message, filter: MessageFilter): string | null {
  const { text } = filter
  const reason = summaryMismatch(message, filter)
  if (reason !== null || text === undefined || matches(message.text ?? '', text)) return reason
  return `its text ${doesNotMatch(text)}`
}

/** The part that the service cannot filter by: it supports texts, but no regular expressions. */
export function expressionsOf({ from, subject, text }: MessageFilter): MessageFilter {
  const expression = (pattern: TextPattern | undefined) =>
    typeof pattern === 'string' ? undefined : pattern
  return { from: expression(from), subject: expression(subject), text: expression(text) }
}

/** The filter in words: `with subject /verify/i and from "acme"`; may be empty. */
export function describeFilter({ from, subject, text, q }: MessageFilter): string {
  const parts = Object.entries({ from, subject, text, q }).flatMap(([field, pattern]) =>
    pattern === undefined ? [] : [`${field} ${describePattern(pattern)}`],
  )
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`
}

/** A pattern as written in code. */
export function describePattern(pattern: TextPattern): string {
  return typeof pattern === 'string' ? quote(pattern) : String(pattern)
}

/** `Name <address>`, or the part that is there. */
export function formatAddress({ name, address }: Address): string {
  if (name === null || name === '') return address ?? ''
  return address === null ? name : `${name} <${address}>`
}

function doesNotMatch(pattern: TextPattern): string {
  const verb = typeof pattern === 'string' ? 'does not contain' : 'does not match'
  return `${verb} ${describePattern(pattern)}`
}
