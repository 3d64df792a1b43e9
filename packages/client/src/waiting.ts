import type { CallOptions } from './call-options.ts'
import { delay } from './delay.ts'
import type { Considered, WaitDiagnostics } from './diagnostics.ts'
import { EmailTimeoutError } from './expectation-errors.ts'
import { explainTimeout } from './explain.ts'
import {
  describeFilter,
  expressionsOf,
  type MessageFilter,
  mismatch,
  NO_OTP,
  summaryMismatch,
} from './filter.ts'
import type { InboxCalls } from './inbox-calls.ts'
import type { Message, MessageSummary } from './messages.ts'
import { retryDelayMs } from './retry.ts'
import { type Anchor, WAIT_SECONDS_MAX, type WaitOutcome } from './wait-call.ts'

/** The largest page that the service gives. */
const PAGE_SIZE = 100

/** The inbox that is waited on. */
export type WaitTarget = Pick<InboxCalls, 'messages' | 'read' | 'diagnose' | 'waitOnce'> & {
  readonly emailAddress: string
}

/** What is waited for: a message that counts, and the thing in it that is wanted. */
export type Wanted<Found> = {
  /** `a one-time code` */
  readonly what: string
  readonly for: 'message' | 'otp'
  readonly filter: MessageFilter
  /** The wanted thing, or the reason why this message does not have it. */
  readonly pick: (message: Message) => Picked<Found>
}

/** A thing that was found in a message, or why it was not. */
type Picked<Found> = { readonly found: Found } | { readonly reason: string }

/** How long, and from when on. */
export type WaitTime = CallOptions & Anchor & { readonly timeoutSeconds: number }

type Hunt<Found> = {
  readonly target: WaitTarget
  readonly wanted: Wanted<Found>
  readonly time: WaitTime
  /** By the clock of `performance.now()`. */
  readonly deadline: number
  /** Messages that were judged and did not count, by their id. */
  readonly passedOver: Map<string, Considered>
}

/**
 * Waits until a wanted thing is there.
 *
 * The service answers with the newest message that has the texts, and takes no expressions. So when
 * that one does not count, the watermark is read, then the list: whatever came until the watermark
 * is in the list, and whatever comes later wakes the next call. Nothing falls between the two.
 */
export async function waitFor<Found>(
  target: WaitTarget,
  wanted: Wanted<Found>,
  time: WaitTime,
): Promise<Found> {
  const deadline = performance.now() + time.timeoutSeconds * 1000
  const hunt = { target, wanted, time, deadline, passedOver: new Map() }
  let after = time.after
  for (;;) {
    const outcome = await holdCall(hunt, after)
    if (outcome.arrived) {
      const picked = judge(hunt, outcome.message, expressionsOf(wanted.filter))
      if (picked !== null) return picked.found
      after = (await target.read(time)).watermark
      const listed = await searchList(hunt)
      if (listed !== null) return listed.found
    }
    if (performance.now() >= deadline) {
      throw await timeoutError(hunt, outcome.arrived ? null : outcome.diagnostics)
    }
  }
}

/** One call for as much of the time as the service holds a call, past passing failures. */
async function holdCall<Found>(
  { target, wanted, time, deadline }: Hunt<Found>,
  after: string | undefined,
): Promise<WaitOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = Math.max(0, deadline - performance.now())
    const timeoutSeconds = Math.min(Math.ceil(leftMs / 1000), WAIT_SECONDS_MAX)
    try {
      const { for: what, filter } = wanted
      return await target.waitOnce({ ...time, for: what, filter, timeoutSeconds, after })
    } catch (error) {
      const delayMs = retryDelayMs({ error, attempt, isRepeatable: true })
      if (delayMs === null || performance.now() + delayMs > deadline) throw error
      await delay(delayMs, time.signal)
    }
  }
}

/** Looks through all that the anchor leaves, newest first. */
async function searchList<Found>(hunt: Hunt<Found>): Promise<{ readonly found: Found } | null> {
  const { target, time, wanted, passedOver } = hunt
  const { signal } = time
  const since = new Date(time.since ?? 0).toISOString()
  let cursor: string | undefined
  do {
    const query = { after: time.after, limit: PAGE_SIZE, cursor, signal }
    const page = await target.messages.list(query)
    for (const summary of page.messages) {
      // Newest first: the rest is older still.
      if (summary.receivedAt < since) return null
      if (passedOver.has(summary.id)) continue
      const reason =
        summaryMismatch(summary, wanted.filter) ??
        (wanted.for === 'otp' && !summary.hasOtp ? NO_OTP : null)
      if (reason !== null) {
        passOver(hunt, summary, reason)
        continue
      }
      const message = await target.messages.read(summary.id, { signal })
      const picked = judge(hunt, message, wanted.filter)
      if (picked !== null) return picked
    }
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return null
}

/** The wanted thing of a message; otherwise null, and the message is noted with the reason. */
function judge<Found>(
  hunt: Hunt<Found>,
  message: Message,
  filter: MessageFilter,
): { readonly found: Found } | null {
  const reason = mismatch(message, filter)
  const picked = reason === null ? hunt.wanted.pick(message) : { reason }
  if ('found' in picked) return picked
  passOver(hunt, message, picked.reason)
  return null
}

function passOver<Found>(hunt: Hunt<Found>, message: MessageSummary, reason: string): void {
  const { id, subject, receivedAt } = message
  hunt.passedOver.set(id, { id, subject, receivedAt, reason })
}

async function timeoutError<Found>(
  { target, wanted, time, passedOver }: Hunt<Found>,
  told: WaitDiagnostics | null,
): Promise<EmailTimeoutError> {
  const known = told ?? { ...(await target.diagnose(time)), considered: [] }
  // Our reasons are nearer to what the caller asked for than those of the service.
  const byId = new Map([...known.considered.map((one) => [one.id, one] as const), ...passedOver])
  const considered = [...byId.values()].sort((a, b) => (a.receivedAt < b.receivedAt ? -1 : 1))
  const about = {
    emailAddress: target.emailAddress,
    timeoutSeconds: time.timeoutSeconds,
    diagnostics: { ...known, considered },
  }
  const what = `${wanted.what}${describeFilter(wanted.filter)}`
  return new EmailTimeoutError(explainTimeout({ what, ...about }), about)
}
