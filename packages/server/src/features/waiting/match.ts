import { contains, findUnmetTerm, type OtpFinding, type QueriedContent } from '@mayfly/mail'
import type { Candidate } from '../../store/tables/candidates.ts'
import { readSearchQuery } from '../rules/search-query.ts'

/** Characters of a sender or a subject that are quoted. A header may have 256 KiB. */
const QUOTED_CHARS_MAX = 500

/** The part of a request that selects messages. */
export type WaitFilter = {
  readonly for?: 'message' | 'otp' | undefined
  /** Received at or after, in ISO 8601. */
  readonly since?: string | undefined
  /** A watermark of the inbox. */
  readonly after?: string | undefined
  readonly from?: string | undefined
  readonly subjectContains?: string | undefined
  readonly textContains?: string | undefined
  /** A search query. */
  readonly q?: string | undefined
  /** The form of the code that the message must have. */
  readonly otpFormat?: string | undefined
}

/** A filter in the terms of the store. */
export type WaitQuery = {
  readonly for: 'message' | 'otp'
  readonly sinceMs: number | null
  /** Number of the last message that does not count. */
  readonly afterSequence: number
  readonly from: string | null
  readonly subjectContains: string | null
  readonly textContains: string | null
  readonly q: string | null
  readonly otpFormat: string | null
}

/** Reads the fields that a query may test; null when the message was deleted. */
export type ReadParts = {
  readonly text: () => Promise<string | null>
  readonly content: () => Promise<QueriedContent | null>
  /** The code of a form, or what could have been one; null when the mail was deleted. */
  readonly code: (format: string | null) => Promise<OtpFinding | null>
}

/** The query of a filter; an empty filter matches every message. Throws when `q` is invalid. */
export function waitQuery(filter: WaitFilter): WaitQuery {
  readSearchQuery(filter.q ?? '')
  return {
    for: filter.for ?? 'message',
    sinceMs: filter.since === undefined ? null : Date.parse(filter.since),
    afterSequence: filter.after === undefined ? 0 : Number(filter.after),
    from: filter.from ?? null,
    subjectContains: filter.subjectContains ?? null,
    textContains: filter.textContains ?? null,
    q: filter.q ?? null,
    otpFormat: filter.otpFormat ?? null,
  }
}

/** Whether the query reads text of senders, which may be long. */
export function readsNames(query: WaitQuery): boolean {
  const { from, subjectContains, textContains, q, otpFormat } = query
  return [from, subjectContains, textContains, q, otpFormat].some((text) => text !== null)
}

/** Whether a message that does not match may do so later, because it was marked or tagged. */
export function readsChanges({ q }: WaitQuery): boolean {
  return readSearchQuery(q ?? '').terms.some(({ changes }) => changes === true)
}

/** Why a message does not match, for a person; null when it does. Its content is read last. */
export async function mismatch(
  query: WaitQuery,
  message: Candidate,
  read: ReadParts,
): Promise<string | null> {
  if (message.sequence <= query.afterSequence) {
    return 'it had arrived before the watermark was taken'
  }
  // Below and not at: a mail stored in the same millisecond as the caller's `since` matches.
  if (query.sinceMs !== null && message.receivedAt < query.sinceMs) {
    const since = new Date(query.sinceMs).toISOString()
    const received = new Date(message.receivedAt).toISOString()
    return `it was received at ${received}, before since (${since})`
  }
  const sender = `${message.from.name ?? ''} <${message.from.address ?? ''}>`
  if (query.from !== null && !containsIgnoringCase(sender, query.from)) {
    return `its sender is ${cut(sender.trim())}, which does not contain "${query.from}"`
  }
  const { subjectContains, textContains } = query
  if (subjectContains !== null && !containsIgnoringCase(message.subject ?? '', subjectContains)) {
    return `its subject does not contain "${subjectContains}"`
  }
  if (query.for === 'otp' && query.otpFormat === null && message.otp === null) return NO_CODE
  if (textContains !== null && !containsIgnoringCase((await read.text()) ?? '', textContains)) {
    return `its text does not contain "${textContains}"`
  }
  const { otpFormat } = query
  if (otpFormat !== null && ((await read.code(otpFormat))?.otp ?? null) === null) {
    return `no one-time code of the form ${otpFormat} was found in it`
  }
  if (query.q === null) return null
  const unmet = await findUnmetTerm(readSearchQuery(query.q), message, read.content)
  return unmet === null ? null : `it does not match ${unmet.source}`
}

const NO_CODE = 'no one-time code was found in it'

/** Reasons against a value that are reported. */
const REASONS_REPORTED = 2

/** A value of this confidence or less was hardly meant as the code. */
const LIKELY_MIN = 0.01

/** The likeliest value of a message without a code, and why it was not given; may be empty. */
export async function almostGiven(
  query: WaitQuery,
  message: Candidate,
  read: Pick<ReadParts, 'code'>,
): Promise<string> {
  if (query.for !== 'otp' && query.otpFormat === null) return ''
  if (query.otpFormat === null && message.otp !== null) return ''
  const likeliest = (await read.code(null))?.candidates[0]
  if (likeliest === undefined || likeliest.confidence < LIKELY_MIN) return ''
  const { value, confidence, reasonsAgainst } = likeliest
  const found = `; likely ${value} (${confidence.toFixed(2)})`
  if (query.otpFormat !== null && message.otp === value) return `${found}, of another form`
  const reasons = reasonsAgainst.slice(0, REASONS_REPORTED).map(lowerFirst)
  return `${found}, not given${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Text of a sender, cut to fit a line. */
export function cut(text: string): string {
  return text.length <= QUOTED_CHARS_MAX ? text : `${text.slice(0, QUOTED_CHARS_MAX)}…`
}

function containsIgnoringCase(text: string, part: string): boolean {
  return contains(text.toLowerCase(), part.toLowerCase())
}
