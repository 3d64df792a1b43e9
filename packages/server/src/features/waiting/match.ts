import type { Candidate } from '../../store/tables/messages.ts'

/** Which messages a wait counts. */
export type WaitQuery = {
  readonly for: 'message' | 'otp'
  /** Received at or after, in milliseconds. */
  readonly sinceMs: number | null
  /** Number of the last message that does not count. */
  readonly afterSequence: number
  readonly from: string | null
  readonly subjectContains: string | null
  readonly textContains: string | null
}

/** A query that counts every message. */
export const ANY_MESSAGE: WaitQuery = {
  for: 'message',
  sinceMs: null,
  afterSequence: 0,
  from: null,
  subjectContains: null,
  textContains: null,
}

/** Why a message does not count, for a person; null when it does. */
export function mismatch(query: WaitQuery, message: Candidate): string | null {
  if (message.sequence <= query.afterSequence) {
    return 'it had arrived before the watermark was taken'
  }
  // Below and not at: a mail stored in the same millisecond as the caller's `since` counts.
  if (query.sinceMs !== null && message.receivedAt < query.sinceMs) {
    const since = new Date(query.sinceMs).toISOString()
    const received = new Date(message.receivedAt).toISOString()
    return `it was received at ${received}, before since (${since})`
  }
  const sender = `${message.from.name ?? ''} <${message.from.address ?? ''}>`
  if (query.from !== null && !contains(sender, query.from)) {
    return `its sender is ${sender.trim()}, which does not contain "${query.from}"`
  }
  if (query.subjectContains !== null && !contains(message.subject ?? '', query.subjectContains)) {
    return `its subject does not contain "${query.subjectContains}"`
  }
  if (query.textContains !== null && !contains(message.text ?? '', query.textContains)) {
    return `its text does not contain "${query.textContains}"`
  }
  if (query.for === 'otp' && !message.hasOtp) return 'no one-time code was found in it'
  return null
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
