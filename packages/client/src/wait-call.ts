import { type CallOptions, property } from './connection.ts'
import type { WaitDiagnostics } from './diagnostics.ts'
import type { MessageFilter, TextPattern } from './filter.ts'
import type { Message } from './messages.ts'
import type { Requester } from './request.ts'

/** Longest time that the service keeps one call open. */
export const WAIT_SECONDS_MAX = 50

/** Time for the network, in addition to the time that the service keeps a call open. */
const NETWORK_MS_MAX = 15_000

/** The start of the period whose mail counts. Without it, mail that has already arrived counts. */
export type WaitStart = {
  /** Only mail that arrived at or after this time, by the clock of the service. */
  readonly since?: Date | string | undefined
  /** Only mail that arrived after this watermark of the inbox; no clock is involved. */
  readonly after?: string | undefined
}

/** One call that the service keeps open. */
export type WaitCall = CallOptions &
  WaitStart & {
    readonly for: 'message' | 'otp'
    readonly timeoutSeconds: number
    /** The service filters by its texts; the caller applies its regular expressions. */
    readonly filter: MessageFilter
    readonly otpFormat?: string | undefined
  }

/** The result of such a call. */
export type WaitOutcome =
  | { readonly arrived: true; readonly message: Message }
  | { readonly arrived: false; readonly diagnostics: WaitDiagnostics | null }

/** A start as query parameters. */
export function startQuery({ since, after }: WaitStart) {
  return { since: since instanceof Date ? since.toISOString() : since, after }
}

/** The texts of a filter for the service; regular expressions are left out. */
export function filterQuery({ from, subject, text, q }: MessageFilter) {
  return {
    from: textOf(from),
    subjectContains: textOf(subject),
    textContains: textOf(text),
    q: textOf(q),
  }
}

/** How long to wait for the response of a call that the service keeps open for `seconds`. */
export function waitMs(seconds: number): number {
  return seconds * 1000 + NETWORK_MS_MAX
}

/** Waits once, for as long as the service keeps a call open. */
export async function waitOnce(
  requester: Requester,
  inboxPath: string,
  call: WaitCall,
): Promise<WaitOutcome> {
  const { timeoutSeconds } = call
  try {
    const { message } = await requester.json<{ message: Message }>({
      method: 'GET',
      path: `${inboxPath}/wait`,
      query: {
        for: call.for,
        timeoutSeconds,
        otpFormat: call.otpFormat,
        ...startQuery(call),
        ...filterQuery(call.filter),
      },
      // The caller retries with the remaining time.
      attemptsMax: 1,
      timeoutMs: waitMs(timeoutSeconds),
      signal: call.signal,
    })
    return { arrived: true, message }
  } catch (error) {
    if (property(error, 'code') !== 'nothing_arrived') throw error
    const diagnostics = property(property(error, 'body'), 'diagnostics') ?? null
    // By the contract of the service; no proxy adds `diagnostics` to a body.
    return { arrived: false, diagnostics: diagnostics as WaitDiagnostics | null }
  }
}

function textOf(pattern: TextPattern | undefined): string | undefined {
  return typeof pattern === 'string' && pattern !== '' ? pattern : undefined
}
