import type { Assertion, AssertionRun, InboxId, Message } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import type { StoredMessage } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Arrivals } from '../waiting/arrivals.ts'
import type { WaitQuery } from '../waiting/match.ts'
import type { WaitOptions } from '../waiting/wait.ts'
import {
  type AssertionResult,
  checkAuth,
  checkContainsText,
  checkOtpPresent,
  linksToTry,
  noLink,
  nothingArrived,
} from './evaluate.ts'
import { checkLinks, type FetchLink } from './link-check.ts'

/** What running assertions needs. */
export type AssertDeps = {
  readonly store: Tables
  readonly arrivals: Arrivals
  readonly elapsedMs: () => number
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly findWithin: (caller: Caller, options: WaitOptions) => Promise<StoredMessage | null>
  readonly fetchLink: FetchLink
  readonly visibleText: (html: string) => string
  /** Why nothing arrived, in a sentence. */
  readonly explain: (caller: Caller, inboxId: InboxId, query: WaitQuery) => Promise<string>
}

/** A run as it is asked for. */
export type AssertOptions = WaitOptions & { readonly assertions: readonly Assertion[] }

/** Links get this long at the least, however late the mail came. */
const LINKS_MS_MIN = 5_000

/** Waits for a mail and checks it: every assertion, whatever the others came to. */
export async function runAssertions(
  deps: AssertDeps,
  caller: Caller,
  options: AssertOptions,
): Promise<AssertionRun> {
  await using _slot = await deps.takeWaitSlot(caller)
  const startedAt = deps.elapsedMs()
  const stored = await deps.findWithin(caller, { ...options, timeoutMs: 0 })
  const wasThere = stored !== null
  const found = stored ?? (await deps.findWithin(caller, options))
  if (found === null) {
    const reason = await deps.explain(caller, options.inboxId, options.query)
    const results = nothingArrived(options.assertions, reason)
    return { passed: false, arrived: false, arrivalSeconds: null, results, message: null }
  }
  const arrivalMs = wasThere ? 0 : deps.elapsedMs() - startedAt
  const timeLeftMs = () => startedAt + options.timeoutMs - deps.elapsedMs()
  const results = await Promise.all(
    options.assertions.map((assertion) =>
      evaluate(deps, { assertion, found, caller, options, timeLeftMs }),
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
  readonly options: AssertOptions
  readonly timeLeftMs: () => number
}

async function evaluate(deps: AssertDeps, of: Evaluation): Promise<AssertionResult> {
  const { assertion, found } = of
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
      const timeLeftMs = () => Math.max(of.timeLeftMs(), LINKS_MS_MIN)
      return checkLinks(urls, deps.fetchLink, timeLeftMs)
    }
    case 'auth':
      return checkAuth(await verdictWithin(deps, of), assertion)
  }
}

/** The verdict of the sender checks, once it is there; null when the time is up before. */
async function verdictWithin(deps: AssertDeps, of: Evaluation): Promise<Message['auth']> {
  const { caller, found, options } = of
  if (found.auth !== null) return found.auth
  const deadline = new AbortController()
  const expire = () => deadline.abort()
  const timer = setTimeout(expire, Math.max(0, of.timeLeftMs()))
  options.gone.addEventListener('abort', expire, { once: true })
  const arrivals = deps.arrivals.subscribe(options.inboxId)
  try {
    for (;;) {
      const message = await deps.store.messages.find(caller.accountId, options.inboxId, found.id)
      if (message === null) throw new ServiceError('inbox_not_found')
      if (message.auth !== null || deadline.signal.aborted) return message.auth
      await arrivals.next(deadline.signal)
    }
  } finally {
    clearTimeout(timer)
    options.gone.removeEventListener('abort', expire)
    arrivals.close()
  }
}
