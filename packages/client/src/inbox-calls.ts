import type { Assertion, AssertionRun } from './assertions.ts'
import type { CallOptions } from './connection.ts'
import type { Diagnostics, InboxState } from './diagnostics.ts'
import type { FaultRule, Faults } from './faults.ts'
import type { Environment } from './keys.ts'
import { type MessageCalls, messageCalls } from './messages.ts'
import { callOptions } from './options.ts'
import type { Requester } from './request.ts'
import {
  filterQuery,
  startQuery,
  WAIT_SECONDS_MAX,
  type WaitCall,
  type WaitOutcome,
  type WaitStart,
  waitMs,
  waitOnce,
} from './wait-call.ts'

/** An inbox as the service returns it. */
export type InboxRecord = {
  readonly id: string
  readonly emailAddress: string
  readonly createdAt: string
  /** Null for a catch-all inbox, which does not expire. */
  readonly expiresAt: string | null
  readonly messageCount: number
  /** Messages that are not marked as read. */
  readonly unreadCount: number
  readonly state: InboxState
  /** The environment of the key that created it. */
  readonly environment: Environment
  /** Marks what has arrived so far. Pass it as `after` to match only later mail. */
  readonly watermark: string
  /** Whether it is a catch-all inbox, which accepts mail for any recipient. */
  readonly catchAll: boolean
  /** How many of its newest messages a catch-all inbox keeps; null for others. */
  readonly keepMessages: number | null
}

/** Which messages are checked; texts must be contained, in upper or lower case. */
export type CheckFilter = {
  /** Part of the sender's name or address. */
  readonly from?: string | undefined
  readonly subject?: string | undefined
  /** Part of the readable text. */
  readonly text?: string | undefined
  /** A search query. */
  readonly q?: string | undefined
}

/** How long assertions wait for a message, and which mail they consider. */
type CheckTime = CallOptions & WaitStart & CheckFilter & { readonly timeoutSeconds: number }

/** How long faults last. */
export type FaultOptions = CallOptions & {
  /** At most a day. Default: 3600. */
  readonly expiresInSeconds?: number | undefined
}

/** Every call about one inbox. */
export type InboxCalls = {
  readonly messages: MessageCalls
  read(options?: CallOptions): Promise<InboxRecord>
  delete(options?: CallOptions): Promise<void>
  diagnose(options?: CallOptions): Promise<Diagnostics>
  faults(options?: CallOptions): Promise<Faults>
  setFaults(rules: readonly FaultRule[], options?: FaultOptions): Promise<Faults>
  deleteFaults(options?: CallOptions): Promise<void>
  waitOnce(call: WaitCall): Promise<WaitOutcome>
  check(assertions: readonly Assertion[], time: CheckTime): Promise<AssertionRun>
}

/** The path of an inbox. */
export function inboxPath(inboxId: string): string {
  return `/v1/inboxes/${encodeURIComponent(inboxId)}`
}

/** Binds the calls about one inbox. */
export function inboxCalls(requester: Requester, inboxId: string): InboxCalls {
  const path = inboxPath(inboxId)
  return {
    messages: messageCalls(requester, path),
    read: async (options) => requester.json({ method: 'GET', path, ...callOptions(options) }),
    delete: async (options) => requester.done({ method: 'DELETE', path, ...callOptions(options) }),
    diagnose: async (options) =>
      requester.json({ method: 'GET', path: `${path}/diagnostics`, ...callOptions(options) }),
    faults: async (options) =>
      requester.json({ method: 'GET', path: `${path}/faults`, ...callOptions(options) }),
    setFaults: (rules, { signal, ...body } = {}) =>
      requester.json({ method: 'PUT', path: `${path}/faults`, body: { rules, ...body }, signal }),
    deleteFaults: async (options) =>
      requester.done({ method: 'DELETE', path: `${path}/faults`, ...callOptions(options) }),
    waitOnce: (call) => waitOnce(requester, path, call),
    check: (assertions, time) => checkWithin(requester, `${path}/assert`, { assertions, time }),
  }
}

/** The service keeps a call open for at most 50 seconds; a longer wait takes several calls. */
async function checkWithin(
  requester: Requester,
  path: string,
  { assertions, time }: { readonly assertions: readonly Assertion[]; readonly time: CheckTime },
): Promise<AssertionRun> {
  const startedAt = performance.now()
  for (;;) {
    const elapsedSeconds = (performance.now() - startedAt) / 1000
    const leftSeconds = Math.max(0, time.timeoutSeconds - elapsedSeconds)
    const timeoutSeconds = Math.min(Math.ceil(leftSeconds), WAIT_SECONDS_MAX)
    const run = await requester.json<AssertionRun>({
      method: 'POST',
      path,
      body: { assertions, timeoutSeconds, ...startQuery(time), ...filterQuery(time) },
      isRepeatable: true,
      timeoutMs: waitMs(timeoutSeconds),
      signal: time.signal,
    })
    if (run.arrivalSeconds !== null) {
      // Milliseconds, as in the API: 0 for a mail that had already arrived.
      const arrivalMs = Math.round((elapsedSeconds + run.arrivalSeconds) * 1000)
      return { ...run, arrivalSeconds: arrivalMs / 1000 }
    }
    if (leftSeconds <= WAIT_SECONDS_MAX) return run
  }
}
