import type { InboxId, Message, Otp, WaitDiagnostics } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import type { StoredMessage } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Arrivals, Subscription } from './arrivals.ts'
import { mismatch, type WaitQuery } from './match.ts'
import type { SharedLooks } from './shared-looks.ts'

/** What waiting needs. */
export type WaitDeps = {
  readonly store: Tables
  readonly arrivals: Arrivals
  readonly looks: SharedLooks
  /** A place among the account's concurrent waits. */
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly present: (stored: StoredMessage) => Promise<Message>
  /** What a wait that came to nothing is told. */
  readonly explain: (caller: Caller, inboxId: InboxId, query: WaitQuery) => Promise<WaitDiagnostics>
}

/** A wait as it is asked for. */
export type WaitOptions = {
  readonly inboxId: InboxId
  readonly query: WaitQuery
  readonly timeoutMs: number
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** Messages looked at in one go; mostly the first is the one. */
const PAGE = 20

/** Waits for a message that counts; throws `nothing_arrived` with the reasons. */
export async function waitForMessage(
  deps: WaitDeps,
  caller: Caller,
  options: WaitOptions,
): Promise<{ message: Message; otp?: Otp }> {
  await using _slot = await deps.takeWaitSlot(caller)
  const found = await findWithin(deps, caller, options)
  if (found === null) {
    const diagnostics = await deps.explain(caller, options.inboxId, options.query)
    throw new ServiceError('nothing_arrived', { beside: { diagnostics } })
  }
  const message = await deps.present(found)
  return message.otp === null ? { message } : { message, otp: message.otp }
}

/** The newest message that counts, as soon as there is one; null when the time is up. */
export async function findWithin(
  deps: Pick<WaitDeps, 'store' | 'arrivals' | 'looks'>,
  caller: Caller,
  options: WaitOptions,
): Promise<StoredMessage | null> {
  const deadline = new AbortController()
  const expire = () => deadline.abort()
  const timer = setTimeout(expire, options.timeoutMs)
  options.gone.addEventListener('abort', expire, { once: true })
  const arrivals = deps.arrivals.subscribe(options.inboxId)
  try {
    return await lookUntil({ deps, caller, options, arrivals, deadline: deadline.signal })
  } finally {
    clearTimeout(timer)
    options.gone.removeEventListener('abort', expire)
    arrivals.close()
  }
}

/**
 * Subscribe, look, sleep, look.
 *
 * The subscription was made before the first look. A message stored between a look and a later
 * subscription would be missed; a subscription remembers what happened since it was last read.
 */
async function lookUntil(wait: {
  readonly deps: Pick<WaitDeps, 'store' | 'looks'>
  readonly caller: Caller
  readonly options: WaitOptions
  readonly arrivals: Subscription
  readonly deadline: AbortSignal
}): Promise<StoredMessage | null> {
  const { deps, caller, options, arrivals, deadline } = wait
  const queryText = JSON.stringify(options.query)
  let lookedUpTo = options.query.afterSequence
  let isFirst = true
  for (;;) {
    const makeLook = () => findNewest(deps, caller, { ...options, after: lookedUpTo })
    const name = `${arrivals.wakeNumber} ${lookedUpTo} ${caller.accountId} ${options.inboxId} ${queryText}`
    const look = isFirst ? await makeLook() : await deps.looks.share(name, makeLook)
    isFirst = false
    if (look.found !== null || deadline.aborted) return look.found
    lookedUpTo = look.lookedUpTo
    await arrivals.next(deadline)
  }
}

/** The newest message past number `after` that counts, and how far was looked. */
async function findNewest(
  deps: Pick<WaitDeps, 'store'>,
  caller: Caller,
  options: Pick<WaitOptions, 'inboxId' | 'query'> & { readonly after: number },
): Promise<{ found: StoredMessage | null; lookedUpTo: number }> {
  const { inboxId, query, after } = options
  const newest = await deps.store.inboxes.lastSequence(caller.accountId, inboxId)
  if (newest === null) throw new ServiceError('inbox_not_found')
  let before = newest + 1
  while (before > after + 1) {
    const page = await deps.store.messages.listCandidates(caller.accountId, inboxId, {
      after,
      before,
      limit: PAGE,
      withText: query.textContains !== null,
    })
    const match = page.find((candidate) => mismatch(query, candidate) === null)
    if (match !== undefined) {
      const found = await deps.store.messages.find(caller.accountId, inboxId, match.id)
      if (found !== null) return { found, lookedUpTo: newest }
    }
    if (page.length < PAGE) break
    before = page.at(-1)?.sequence ?? after
  }
  return { found: null, lookedUpTo: newest }
}
