import type { Address, Message, MessageSummary } from './messages.ts'
import { quote } from './quote.ts'

/** A text that must occur, whatever its case, or an expression that must match. */
export type TextPattern = string | RegExp

/** Which messages count; all that is given must hold. */
export type MessageFilter = {
  /** In the name or the address of the sender; an expression sees `Name <address>`. */
  readonly from?: TextPattern | undefined
  readonly subject?: TextPattern | undefined
  /** The readable text. */
  readonly text?: TextPattern | undefined
}

/** Why a message is not what a wait for a code wants. */
export const NO_OTP = 'no one-time code was found in it'

/** Whether a text is what the pattern asks for. */
export function matches(text: string, pattern: TextPattern): boolean {
  if (typeof pattern === 'string') return text.toLowerCase().includes(pattern.toLowerCase())
  // Not `test`: on an expression with the flag g it would begin where the last call ended.
  return text.search(pattern) >= 0
}

/** Why a message does not count as far as a list shows it, or null when it may. */
export function summaryMismatch(
  summary: MessageSummary,
  { from, subject }: MessageFilter,
): string | null {
  const sender = formatAddress(summary.from)
  if (from !== undefined && !matches(sender, from)) {
    return `its sender ${quote(sender)} ${isNotLike(from)}`
  }
  if (subject !== undefined && !matches(summary.subject ?? '', subject)) {
    return `its subject ${isNotLike(subject)}`
  }
  return null
}

/** Why a whole message does not count, or null when it does. */
export function mismatch(message: Message, filter: MessageFilter): string | null {
  const { text } = filter
  const reason = summaryMismatch(message, filter)
  if (reason !== null || text === undefined || matches(message.text ?? '', text)) return reason
  return `its text ${isNotLike(text)}`
}

/** What the service leaves to us: it looks for texts itself, but takes no expressions. */
export function expressionsOf({ from, subject, text }: MessageFilter): MessageFilter {
  const expression = (pattern: TextPattern | undefined) =>
    typeof pattern === 'string' ? undefined : pattern
  return { from: expression(from), subject: expression(subject), text: expression(text) }
}

/** The filter as a part of a sentence: `with subject /verify/i and from "acme"`; may be empty. */
export function describeFilter({ from, subject, text }: MessageFilter): string {
  const parts = Object.entries({ from, subject, text }).flatMap(([field, pattern]) =>
    pattern === undefined ? [] : [`${field} ${describePattern(pattern)}`],
  )
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`
}

/** A pattern as it is written in code. */
export function describePattern(pattern: TextPattern): string {
  return typeof pattern === 'string' ? quote(pattern) : String(pattern)
}

/** `Name <address>`, or what there is of it. */
export function formatAddress({ name, address }: Address): string {
  if (name === null || name === '') return address ?? ''
  return address === null ? name : `${name} <${address}>`
}

function isNotLike(pattern: TextPattern): string {
  const verb = typeof pattern === 'string' ? 'does not contain' : 'does not match'
  return `${verb} ${describePattern(pattern)}`
}
