import type { AccountId, InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from './authenticate.ts'

export type ProviderAccessDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly authenticate: (secret: string) => Promise<Caller>
  /** The account whose catch-all inbox gets mail without a key; null without one. */
  readonly catchAllOwner: AccountId | null
}

/** Whose mail a call of a provider's API sends. */
export type ProviderAccess = {
  readonly caller: Caller
  /** The inbox that the key names; null for the key alone. */
  readonly inboxId: InboxId | null
  /** Whether the key is any text: then mail goes where mail without credentials would. */
  readonly isOpen: boolean
}

/** The beginning of every key of ours. */
const OWN_KEY = /^mf_(?:live|test)_/

/**
 * The access that a key gives: `KEY`, or `KEY.INBOX_ID` for one inbox. Where a catch-all inbox
 * takes mail without credentials, any other text is one, too.
 */
export async function findProviderAccess(
  deps: ProviderAccessDeps,
  key: string,
): Promise<ProviderAccess> {
  if (!OWN_KEY.test(key) && deps.catchAllOwner !== null) {
    return {
      caller: await ownerAsCaller(deps, deps.catchAllOwner),
      inboxId: null,
      isOpen: true,
    }
  }
  const dot = key.indexOf('.')
  const caller = await deps.authenticate(dot < 0 ? key : key.slice(0, dot))
  if (dot < 0) return { caller, inboxId: null, isOpen: false }
  const inbox = await deps.store.receiving.findInbox(key.slice(dot + 1))
  if (inbox === null || inbox.accountId !== caller.accountId) {
    throw new ServiceError('invalid_api_key', {
      message: `The key is valid, but its account has no inbox ${key.slice(dot + 1, dot + 80)}.`,
    })
  }
  return { caller, inboxId: inbox.inboxId, isOpen: false }
}

async function ownerAsCaller(
  { store, clock }: ProviderAccessDeps,
  accountId: AccountId,
): Promise<Caller> {
  const [key] = await store.keys.list(accountId, clock.now())
  const account = await store.accounts.find(accountId)
  if (key === undefined || account === null) throw new ServiceError('missing_api_key')
  const { id: keyId, prefix: keyPrefix, role, environment } = key
  return { accountId, keyId, keyPrefix, role, environment, plan: account.plan }
}
