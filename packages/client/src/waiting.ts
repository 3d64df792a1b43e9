import type { CallOptions } from './connection.ts'
import type { RejectedMessage, WaitDiagnostics } from './diagnostics.ts'
import { EmailTimeoutError } from './expectation-errors.ts'
import { explainTimeout, LINES_MAX } from './explain.ts'
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
import { delay, retryDelayMs } from './retry.ts'
import { WAIT_SECONDS_MAX, type WaitOutcome, type WaitStart } from './wait-call.ts'

/** The largest page that the service returns. */
const PAGE_SIZE = 100

/** The inbox that is waited on. */
export type WaitTarget = Pick<InboxCalls, 'messages' | 'read' | 'diagnose' | 'waitOnce'> & {
  readonly emailAddress: string
}

/** The aim of a wait: a message that matches, and the value to extract from it. */
export type Expectation<Found> = {
  /** `a one-time code` */
  readonly what: string
  readonly for: 'message' | 'otp'
  readonly filter: MessageFilter
  /** The form of the code: the service looks for one. */
  readonly otpFormat?: string | undefined
  /** Extracts what was expected, or says why it is missing. */
  readonly pick: (message: Message) => Picked<Found>
}

/** The value in a message, or the reason why there is none. */
type Picked<Found> = { readonly found: Found } | { readonly reason: string }

/** How long to wait, and which mail to consider. */
export type WaitTime = CallOptions &
  WaitStart & {
    readonly timeoutSeconds: number
    /** Whether `after` was read here, before an action, and not by the caller. */
    readonly hasAction?: boolean
  }

/** The service's reason for mail up to the watermark of a call; a test compares it. */
const BEFORE_WATERMARK = 'it had arrived before the watermark was taken'

/** A wait in progress. */
type Wait<Found> = {
  readonly target: WaitTarget
  readonly expectation: Expectation<Found>
  readonly time: WaitTime
  /** By the clock of `performance.now()`. */
  readonly deadline: number
  /** Messages that did not match, by their id. */
  readonly rejected: Map<string, RejectedMessage>
}

/**
 * Waits until a message meets the expectation.
 *
 * The service returns the newest message that contains the texts; it has no regular expressions.
 * When that message does not match, the watermark is read and then the list: mail up to the
 * watermark is in the list, and later mail ends the next call. So no message is missed.
 */
export async function waitFor<Found>(
  target: WaitTarget,
  expectation: Expectation<Found>,
  time: WaitTime,
): Promise<Found> {
  const deadline = performance.now() + time.timeoutSeconds * 1000
  const wait = { target, expectation, time, deadline, rejected: new Map() }
  let after = time.after
  for (;;) {
    const outcome = await holdCall(wait, after)
    if (outcome.arrived) {
      const picked = evaluate(wait, outcome.message, expressionsOf(expectation.filter))
      if (picked !== null) return picked.found
      after = (await target.read({ signal: time.signal })).watermark
      const listed = await searchList(wait)
      if (listed !== null) return listed.found
    }
    if (performance.now() >= deadline) {
      throw await timeoutError(wait, outcome.arrived ? null : outcome.diagnostics)
    }
  }
}

/** One call for as long as the service keeps it open; retried after temporary failures. */
async function holdCall<Found>(
  { target, expectation, time, deadline }: Wait<Found>,
  after: string | undefined,
): Promise<WaitOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = Math.max(0, deadline - performance.now())
    const timeoutSeconds = Math.min(Math.ceil(leftMs / 1000), WAIT_SECONDS_MAX)
    try {
      const { for: what, filter, otpFormat } = expectation
      return await target.waitOnce({ ...time, for: what, filter, otpFormat, timeoutSeconds, after })
    } catch (error) {
      const delayMs = retryDelayMs({ error, attempt, isRepeatable: true })
      if (delayMs === null || performance.now() + delayMs > deadline) throw error
      await delay(delayMs, time.signal)
    }
  }
}

/** Searches all messages since the start, newest first. */
async function searchList<Found>(wait: Wait<Found>): Promise<{ readonly found: Found } | null> {
  const { target, time, expectation, rejected } = wait
  const { signal } = time
  const { otpFormat } = expectation
  // A code of a known form may be in a message without another one.
  const needsOtp = expectation.for === 'otp' && otpFormat === undefined
  const since = new Date(time.since ?? 0).toISOString()
  const { q } = expectation.filter
  const list = target.messages.list({ after: time.after, q, limit: PAGE_SIZE, signal })
  for await (const summary of list) {
    // The rest is older.
    if (summary.receivedAt < since) return null
    if (rejected.has(summary.id)) continue
    const reason =
      summaryMismatch(summary, expectation.filter) ?? (needsOtp && !summary.hasOtp ? NO_OTP : null)
    if (reason !== null) {
      reject(wait, summary, reason)
      continue
    }
    const message = await target.messages.read(summary.id, { otpFormat, signal })
    const picked = evaluate(wait, message, expectation.filter)
    if (picked !== null) return picked
  }
  return null
}

/** The value in the message; otherwise null, and the message is noted with the reason. */
function evaluate<Found>(
  wait: Wait<Found>,
  message: Message,
  filter: MessageFilter,
): { readonly found: Found } | null {
  const reason = mismatch(message, filter)
  const picked = reason === null ? wait.expectation.pick(message) : { reason }
  if ('found' in picked) return picked
  reject(wait, message, picked.reason)
  return null
}

function reject<Found>(wait: Wait<Found>, message: MessageSummary, reason: string): void {
  const { id, subject, receivedAt } = message
  wait.rejected.set(id, { id, subject, receivedAt, reason })
}

/**
 * Why a message did not count, in terms of the test. The reason of the service may be a watermark
 * that the test did not set: the one of an action, or of a later call of this wait.
 */
function ownReason<Found>(
  { time, rejected }: Wait<Found>,
  { id, receivedAt, reason }: RejectedMessage,
) {
  const own = rejected.get(id)
  if (own !== undefined) return own.reason
  if (reason !== BEFORE_WATERMARK) return reason
  const since = new Date(time.since ?? 0).toISOString()
  if (receivedAt < since) return `it had arrived before since (${since})`
  return time.hasAction === true ? 'it had arrived before the action began' : reason
}

async function timeoutError<Found>(
  wait: Wait<Found>,
  received: WaitDiagnostics | null,
): Promise<EmailTimeoutError> {
  const { target, expectation, time, rejected } = wait
  const known = received ?? { ...(await target.diagnose({ signal: time.signal })), considered: [] }
  const byId = new Map(rejected)
  for (const one of known.considered) byId.set(one.id, { ...one, reason: ownReason(wait, one) })
  // One of the steps repeats that the newest message, the first here, did not match.
  const [newest] = known.considered
  const repeated = newest && ` arrived, but did not match: ${newest.reason}.`
  const nextSteps = known.nextSteps.filter((step) => !repeated || !step.endsWith(repeated))
  // Both are newest first; those of one instant keep that order, turned round.
  const considered = [...byId.values()].reverse().sort(byArrival)
  const details = {
    emailAddress: target.emailAddress,
    timeoutSeconds: time.timeoutSeconds,
    diagnostics: { ...known, nextSteps, considered },
  }
  const { signal } = time
  const isCut = considered.length > LINES_MAX
  const messageCount = isCut ? (await target.read({ signal })).messageCount : undefined
  const what = `${expectation.what}${describeFilter(expectation.filter)}`
  return new EmailTimeoutError(explainTimeout({ what, messageCount, ...details }), details)
}

function byArrival(a: RejectedMessage, b: RejectedMessage): number {
  if (a.receivedAt === b.receivedAt) return 0
  return a.receivedAt < b.receivedAt ? -1 : 1
}
