import type {
  AccountId,
  Assertion,
  AssertionRun,
  InboxId,
  MessageAuth,
  MessageId,
} from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { WaitBounds } from '../waiting/look-until.ts'
import type { WaitFilter } from '../waiting/match.ts'
import type { WaitRequest } from '../waiting/wait.ts'
import type { HeldBounds } from '../waiting/while-held.ts'
import type { Check, CheckedMessage, CheckRequest } from './check-message.ts'
import { type AssertionResult, checkAuth, nothingArrived } from './evaluate.ts'
import { checkLinks } from './link-check.ts'
import type { LinkFetches, LinkRun } from './link-fetches.ts'

/** What running assertions needs. */
export type AssertDeps = {
  readonly store: Tables
  readonly elapsedMs: () => number
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly findWithin: (caller: Caller, request: WaitRequest) => Promise<MessageId | null>
  readonly lookUntil: <T>(
    caller: Caller,
    bounds: WaitBounds,
    look: () => Promise<T | null>,
  ) => Promise<T | null>
  /** Does work with a signal that fires when the client is gone or its key is revoked. */
  readonly whileHeld: <T>(
    caller: Caller,
    bounds: HeldBounds,
    work: (gone: AbortSignal) => Promise<T>,
  ) => Promise<T>
  readonly linkFetches: LinkFetches
  /** The sender of this mail is to be checked. Returns at once. */
  readonly onLooked: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
  /** Checks the content of a message away from this thread. */
  readonly checkMessage: (owner: AccountId, request: CheckRequest) => Promise<CheckedMessage | null>
  /** Why no message matched, in a sentence. */
  readonly explain: (caller: Caller, inboxId: InboxId, filter: WaitFilter) => Promise<string>
}

/** A wait for a message, and the assertions on it. */
export type AssertRequest = WaitRequest & {
  readonly gone: AbortSignal
  readonly assertions: readonly Assertion[]
}

/** Time that links get at the least, even when the mail came late. */
const LINKS_MS_MIN = 5_000

/** Waits for a mail and evaluates all assertions, even after one has failed. */
export async function runAssertions(
  deps: AssertDeps,
  caller: Caller,
  request: AssertRequest,
): Promise<AssertionRun> {
  await using _slot = await deps.takeWaitSlot(caller)
  const startedAt = deps.elapsedMs()
  const stored = await deps.findWithin(caller, { ...request, timeoutMs: 0 })
  const wasThere = stored !== null
  const messageId = stored ?? (await deps.findWithin(caller, request))
  const { inboxId, assertions } = request
  if (messageId === null) {
    // A client that is gone does not read it, and the slot is free without it.
    const reason = request.gone.aborted ? '' : await deps.explain(caller, inboxId, request.filter)
    const results = nothingArrived(assertions, reason)
    return { passed: false, arrived: false, arrivalSeconds: null, results, message: null }
  }
  const arrivalMs = wasThere ? 0 : deps.elapsedMs() - startedAt
  const timeLeftMs = () => startedAt + request.timeoutMs - deps.elapsedMs()
  const checked = await deps.checkMessage(caller.accountId, { inboxId, messageId, assertions })
  if (checked === null) throw new ServiceError('inbox_not_found')
  const { mailId, auth } = checked
  if (auth === null) deps.onLooked({ mailId, accountId: caller.accountId })
  const linksUntil = Math.max(startedAt + request.timeoutMs, deps.elapsedMs() + LINKS_MS_MIN)
  const results = await deps.whileHeld(caller, request, (gone) => {
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

/** The verdicts of the sender checks, as soon as they are stored; null when the time is up. */
async function authWithin(deps: AssertDeps, unfinished: Unfinished): Promise<MessageAuth | null> {
  const { caller, checked, request } = unfinished
  if (checked.auth !== null) return checked.auth
  const { inboxId, gone } = request
  const { accountId } = caller
  const { message, mailId } = checked
  const bounds = { inboxId, gone, timeoutMs: unfinished.timeLeftMs() }
  return deps.lookUntil(caller, bounds, async () => {
    const found = await deps.store.messages.findAuth(accountId, inboxId, message.id)
    if (found === null) throw new ServiceError('inbox_not_found')
    // At each look: a check may have been dropped when too many were due.
    if (found.auth === null) deps.onLooked({ mailId, accountId })
    return found.auth
  })
}
