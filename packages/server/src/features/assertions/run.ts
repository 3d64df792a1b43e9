import type { AccountId, Assertion, AssertionRun, MessageAuth, MessageId } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { WaitBounds } from '../waiting/poll-until.ts'
import type { WaitDeps, WaitRequest } from '../waiting/wait.ts'
import type { HeldBounds } from '../waiting/while-authorised.ts'
import type { Check, CheckedMessage, CheckRequest } from './check-message.ts'
import { type AssertionResult, checkAuth, nothingArrived } from './evaluate.ts'
import { checkLinks } from './link-check.ts'
import type { LinkFetches, LinkRun } from './link-fetches.ts'

export type AssertDeps = {
  readonly store: Tables
  readonly elapsedMs: () => number
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly findWithin: (caller: Caller, request: WaitRequest) => Promise<MessageId | null>
  readonly pollUntil: (
    bounds: WaitBounds & { readonly key: Caller },
    poll: () => Promise<MessageAuth | 'deleted' | null>,
  ) => Promise<MessageAuth | 'deleted' | null>
  /** Does work with a signal that fires when the client is gone or its key is revoked. */
  readonly whileAuthorised: (
    bounds: HeldBounds,
    work: (gone: AbortSignal) => Promise<AssertionResult[]>,
  ) => Promise<AssertionResult[]>
  readonly linkFetches: LinkFetches
  /** The sender of this mail is to be checked. Returns at once. */
  readonly onFirstRead: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
  /** Functions that run in another thread. */
  readonly content: {
    readonly checkMessage: (
      owner: AccountId,
      request: CheckRequest,
    ) => Promise<CheckedMessage | null>
  }
  readonly explainWait: WaitDeps['explainWait']
}

/** A wait for a message, and the assertions on it. */
export type AssertRequest = WaitRequest & {
  readonly gone: AbortSignal
  readonly assertions: readonly Assertion[]
}

/** Shortest time for fetching links, even when the mail arrived late. */
const LINKS_MS_MIN = 5_000

/** Waits for a mail and evaluates all assertions, even after one has failed. */
export async function runAssertions(
  deps: AssertDeps,
  caller: Caller,
  request: AssertRequest,
): Promise<AssertionRun> {
  await using _slot = await deps.takeWaitSlot(caller)
  const startedAt = deps.elapsedMs()
  const { assertions } = request
  const timeLeftMs = () => startedAt + request.timeoutMs - deps.elapsedMs()
  const stored = await findChecked(deps, caller, { ...request, timeLeftMs: () => 0 })
  const wasThere = stored !== null
  const checked = stored ?? (await findChecked(deps, caller, { ...request, timeLeftMs }))
  if (checked === null) {
    // A client that is gone does not read it, and the slot is free without it.
    const reason = request.gone.aborted ? '' : await whyNothingArrived(deps, caller, request)
    const results = nothingArrived(assertions, reason)
    return { passed: false, arrived: false, arrivalSeconds: null, results, message: null }
  }
  const arrivalMs = wasThere ? 0 : deps.elapsedMs() - startedAt
  const { mailId, auth } = checked
  if (auth === null) deps.onFirstRead({ mailId, accountId: caller.accountId })
  const linksUntil = Math.max(startedAt + request.timeoutMs, deps.elapsedMs() + LINKS_MS_MIN)
  const results = await deps.whileAuthorised({ ...request, key: caller }, (gone) => {
    const links = deps.linkFetches.begin({
      accountId: caller.accountId,
      followsRedirects: true,
      timeLeftMs: () => linksUntil - deps.elapsedMs(),
      gone,
    })
    const shared = { checked, caller, request, timeLeftMs, links }
    return Promise.all(checked.checks.map((check) => finish(deps, { ...shared, check })))
  })
  return {
    passed: results.every(({ passed }) => passed),
    arrived: true,
    arrivalSeconds: Math.round(arrivalMs) / 1000,
    results,
    message: checked.message,
  }
}

/** Finds a message and checks it; one that is deleted in between was not found. */
async function findChecked(
  deps: AssertDeps,
  caller: Caller,
  request: AssertRequest & { readonly timeLeftMs: () => number },
): Promise<CheckedMessage | null> {
  const { inboxId, assertions } = request
  for (;;) {
    const timeoutMs = Math.max(0, request.timeLeftMs())
    const messageId = await deps.findWithin(caller, { ...request, timeoutMs })
    if (messageId === null) return null
    const found = { inboxId, messageId, assertions }
    const checked = await deps.content.checkMessage(caller.accountId, found)
    if (checked !== null) return checked
  }
}

async function whyNothingArrived(
  deps: AssertDeps,
  caller: Caller,
  request: AssertRequest,
): Promise<string> {
  const { nextSteps } = await deps.explainWait(caller, request)
  return ['no message arrived in time', ...nextSteps.slice(0, 1)].join('. ')
}

type Unfinished = {
  readonly check: Check
  readonly checked: CheckedMessage
  readonly caller: Caller
  readonly request: AssertRequest
  readonly timeLeftMs: () => number
  readonly links: LinkRun
}

async function finish(deps: AssertDeps, unfinished: Unfinished): Promise<AssertionResult> {
  const { check } = unfinished
  switch (check.state) {
    case 'done':
      return check.result
    case 'links':
      return checkLinks(check, unfinished.links)
    case 'auth':
      return checkAuth(await authWithin(deps, unfinished), check.assertion)
  }
}

/** The verdicts of the sender checks, as soon as they are stored; null without any in time. */
async function authWithin(deps: AssertDeps, unfinished: Unfinished): Promise<MessageAuth | null> {
  const { caller, checked, request } = unfinished
  if (checked.auth !== null) return checked.auth
  const { inboxId, gone } = request
  const { accountId } = caller
  const { message, mailId } = checked
  const bounds = { inboxId, gone, key: caller, timeoutMs: unfinished.timeLeftMs() }
  const verdicts = await deps.pollUntil(bounds, async () => {
    const found = await deps.store.messages.findAuth(accountId, inboxId, message.id)
    if (found === null) return 'deleted'
    // With each query: a check may have been dropped when too many were due.
    if (found.auth === null) deps.onFirstRead({ mailId, accountId })
    return found.auth
  })
  return verdicts === 'deleted' ? null : verdicts
}
