import type { CallOptions } from './call-options.ts'
import type { WaitDiagnostics } from './diagnostics.ts'
import { ApiError } from './errors.ts'
import type { MessageFilter, TextPattern } from './filter.ts'
import type { Message } from './messages.ts'
import type { Requester } from './request.ts'

/** Longest time that the service holds one call. */
export const WAIT_SECONDS_MAX = 50

/** Time that an answer may take on its way, beyond what the service holds it. */
const ON_THE_WAY_MS = 15_000

/** From when on mail counts. Without any of these, mail that is there already counts too. */
export type Anchor = {
  /** Only mail that arrived at or after this moment, by the clock of the service. */
  readonly since?: Date | string | undefined
  /** Only mail that arrived after this watermark of the inbox, without any clock. */
  readonly after?: string | undefined
}

/** One call that the service holds. */
export type WaitCall = CallOptions &
  Anchor & {
    readonly for: 'message' | 'otp'
    readonly timeoutSeconds: number
    /** The service looks for its texts itself; its expressions are for the caller to apply. */
    readonly filter: MessageFilter
  }

/** What came of it. */
export type WaitOutcome =
  | { readonly arrived: true; readonly message: Message }
  | { readonly arrived: false; readonly diagnostics: WaitDiagnostics | null }

/** An anchor as the service takes it. */
export function anchorQuery({ since, after }: Anchor) {
  return { since: since instanceof Date ? since.toISOString() : since, after }
}

/** How long to wait for the answer to a call that the service holds for so many seconds. */
export function waitMs(seconds: number): number {
  return seconds * 1000 + ON_THE_WAY_MS
}

/** Waits once, for as long as the service holds a call. */
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
        ...anchorQuery(call),
        from: textOf(call.filter.from),
        subjectContains: textOf(call.filter.subject),
        textContains: textOf(call.filter.text),
      },
      // Whoever waits repeats it by itself, with the time that is left.
      attemptsMax: 1,
      timeoutMs: waitMs(timeoutSeconds),
      signal: call.signal,
    })
    return { arrived: true, message }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'nothing_arrived') throw error
    return { arrived: false, diagnostics: diagnosticsOf(error.body) }
  }
}

function textOf(pattern: TextPattern | undefined): string | undefined {
  return typeof pattern === 'string' && pattern !== '' ? pattern : undefined
}

function diagnosticsOf(body: unknown): WaitDiagnostics | null {
  if (typeof body !== 'object' || body === null || !('diagnostics' in body)) return null
  // The service describes them so; a proxy in between does not make up a `diagnostics`.
  return body.diagnostics as WaitDiagnostics
}
