import type { AccountId, Assertion, AssertionRun, InboxId, Message } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import type { StoredMessage } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { WaitBounds } from '../waiting/look-until.ts'
import type { WaitFilter } from '../waiting/match.ts'
import type { WaitRequest } from '../waiting/wait.ts'
import {
  type AssertionResult,
  checkAuth,
  checkContainsText,
  checkOtpPresent,
  linksToTry,
  noLink,
  nothingArrived,
} from './evaluate.ts'
import { checkLinks } from './link-check.ts'
import type { LinkFetches, LinkRun } from './link-fetches.ts'

/** What running assertions needs. */
export type AssertDeps = {
  readonly store: Tables
  readonly elapsedMs: () => number
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly findWithin: (caller: Caller, request: WaitRequest) => Promise<StoredMessage | null>
  readonly lookUntil: <T>(
    caller: Caller,
    bounds: WaitBounds,
    look: () => Promise<T | null>,
  ) => Promise<T | null>
  readonly linkFetches: LinkFetches
  /** The sender of this mail is to be checked. Returns at once. */
  readonly onLooked: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
  readonly visibleText: (html: string) => string
  /** Why no message matched, in a sentence. */
  readonly explain: (caller: Caller, inboxId: InboxId, filter: WaitFilter) => Promise<string>
}

/** A wait for a message, and the assertions on it. */
export type AssertRequest = WaitRequest & { readonly assertions: readonly Assertion[] }

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
  const found = stored ?? (await deps.findWithin(caller, request))
  if (found === null) {
    const reason = await deps.explain(caller, request.inboxId, request.filter)
    const results = nothingArrived(request.assertions, reason)
    return { passed: false, arrived: false, arrivalSeconds: null, results, message: null }
  }
  const arrivalMs = wasThere ? 0 : deps.elapsedMs() - startedAt
  const timeLeftMs = () => startedAt + request.timeoutMs - deps.elapsedMs()
  const linksUntil = Math.max(startedAt + request.timeoutMs, deps.elapsedMs() + LINKS_MS_MIN)
  const links = deps.linkFetches.begin({
    accountId: caller.accountId,
    timeLeftMs: () => linksUntil - deps.elapsedMs(),
    gone: request.gone,
  })
  const results = await Promise.all(
    request.assertions.map((assertion) =>
      evaluate(deps, { assertion, found, caller, request, timeLeftMs, links }),
    ),
  )
  return {
    passed: results.every(({ passed }) => passed),
    arrived: true,
    arrivalSeconds: Math.round(arrivalMs) / 1000,
    results,
    message: { id: found.id, subject: found.subject, receivedAt: found.receivedAt },
  }
}

type Evaluation = {
  readonly assertion: Assertion
  readonly found: StoredMessage
  readonly caller: Caller
  readonly request: AssertRequest
  readonly timeLeftMs: () => number
  readonly links: LinkRun
}

async function evaluate(deps: AssertDeps, evaluation: Evaluation): Promise<AssertionResult> {
  const { assertion, found } = evaluation
  switch (assertion.type) {
    case 'otpPresent':
      return checkOtpPresent(found)
    case 'containsText': {
      const visible = found.html === null ? null : deps.visibleText(found.html)
      return checkContainsText(found, assertion.text, visible)
    }
    case 'linkResponds': {
      const urls = linksToTry(found, assertion.urlContains)
      if (urls.length === 0) return noLink(found, assertion.urlContains)
      return checkLinks(urls, evaluation.links)
    }
    case 'auth':
      return checkAuth(await authWithin(deps, evaluation), assertion)
  }
}

/** The verdicts of the sender checks, as soon as they are stored; null when the time is up. */
async function authWithin(deps: AssertDeps, evaluation: Evaluation): Promise<Message['auth']> {
  const { caller, found, request } = evaluation
  if (found.auth !== null) return found.auth
  const { inboxId, gone } = request
  const bounds = { inboxId, gone, timeoutMs: evaluation.timeLeftMs() }
  return deps.lookUntil(caller, bounds, async () => {
    const message = await deps.store.messages.find(caller.accountId, inboxId, found.id)
    if (message === null) throw new ServiceError('inbox_not_found')
    // At each look: a check may have been dropped when too many were due.
    if (message.auth === null) deps.onLooked({ mailId: found.mailId, accountId: caller.accountId })
    return message.auth
  })
}
