import type { AccountId, InboxId, Message, Otp, WaitDiagnostics } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import type { StoredMessage } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { lookUntil, type WaitBounds } from './look-until.ts'
import { mismatch, type WaitFilter, type WaitQuery, waitQuery } from './match.ts'
import type { SingleFlight } from './single-flight.ts'
import type { InboxSubscriptions } from './subscriptions.ts'

/** What finding a message needs. */
export type FindDeps = {
  readonly store: Tables
  readonly subscriptions: InboxSubscriptions
  readonly singleFlight: SingleFlight
  /** Somebody looked at a mail whose sender was not checked yet. Returns at once. */
  readonly onLooked: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
}

/** What waiting needs. */
export type WaitDeps = FindDeps & {
  /** Counts towards the account's concurrent waits until it is disposed of. */
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly present: (stored: StoredMessage) => Promise<Message>
  /** Why no message matched. */
  readonly explain: (
    caller: Caller,
    inboxId: InboxId,
    filter: WaitFilter,
  ) => Promise<WaitDiagnostics>
}

/** A wait for a message. */
export type WaitRequest = WaitBounds & { readonly filter: WaitFilter }

/** Messages read at a time; mostly the first one matches. */
const PAGE = 20

/** Waits for a message that matches; throws `nothing_arrived` with the reasons. */
export async function waitForMessage(
  deps: WaitDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<{ message: Message; otp?: Otp }> {
  await using _slot = await deps.takeWaitSlot(caller)
  const found = await findWithin(deps, caller, request)
  if (found === null) {
    const diagnostics = await deps.explain(caller, request.inboxId, request.filter)
    throw new ServiceError('nothing_arrived', { beside: { diagnostics } })
  }
  const message = await deps.present(found)
  return message.otp === null ? { message } : { message, otp: message.otp }
}

/** The newest message that matches, as soon as there is one; null when the time is up. */
export async function findWithin(
  deps: FindDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<StoredMessage | null> {
  const { inboxId } = request
  const query = waitQuery(request.filter)
  const queryText = JSON.stringify(query)
  let lookedUpTo = query.afterSequence
  let isFirst = true
  const held = { subscriptions: deps.subscriptions, key: caller }
  const found = await lookUntil(held, request, async (wakeNumber) => {
    const findNext = () => findNewest(deps, caller, { inboxId, query, after: lookedUpTo })
    const key = `${wakeNumber} ${lookedUpTo} ${caller.accountId} ${inboxId} ${queryText}`
    const look = isFirst ? await findNext() : await deps.singleFlight.run(key, findNext)
    isFirst = false
    lookedUpTo = look.lookedUpTo
    return look.found
  })
  if (found?.auth === null) {
    deps.onLooked({ mailId: found.mailId, accountId: caller.accountId })
  }
  return found
}

/** The newest message past number `after` that matches, and how far was looked. */
async function findNewest(
  deps: Pick<FindDeps, 'store'>,
  caller: Caller,
  search: { readonly inboxId: InboxId; readonly query: WaitQuery; readonly after: number },
): Promise<{ found: StoredMessage | null; lookedUpTo: number }> {
  const { inboxId, query, after } = search
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
