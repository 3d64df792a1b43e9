import type { AccountId, InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { CATCH_ALL_INBOX } from '../rules/own-ids.ts'

export type AccessDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** The caller with a key; throws when there is none. */
  readonly authenticate: (secret: string) => Promise<Caller>
  /** Whose catch-all inbox is shown without a key; null where a key is needed. */
  readonly catchAllOwner: AccountId | null
}

/** The caller of a mail catcher's API, and the catch-all inboxes that it sees. */
export type Access = {
  readonly caller: Caller
  /** Oldest first; sending and setting apply to the first. */
  readonly inboxIds: readonly InboxId[]
  /** The user name of Basic, unless it is the key; null without one. */
  readonly username: string | null
}

/** The beginning of every key of ours. */
const KEY_START = 'mf_'

/**
 * The access that an Authorization header gives.
 *
 * The key is a bearer token, or the password or user name of Basic. A user name beside it that is
 * the id, address or local part of a catch-all inbox shows that one alone, otherwise all of the
 * account are shown.
 */
export async function findAccess(
  deps: AccessDeps,
  authorization: string | undefined,
): Promise<Access> {
  if (authorization === undefined) return keylessAccess(deps)
  const { secret, inbox } = readCredentials(authorization)
  const caller = await deps.authenticate(secret)
  const projects = await deps.store.inboxes.listProjects(caller.accountId, deps.clock.now())
  const named = projects.filter(({ id, emailAddress }) =>
    [id, emailAddress, emailAddress.split('@', 1)[0]].includes(inbox),
  )
  if (/^inb_|@/.test(inbox) && named.length === 0) throw new ServiceError('invalid_api_key')
  const shown = named.length === 0 ? projects : named
  const username = inbox === '' ? null : inbox
  return { caller, inboxIds: shown.map(({ id }) => id), username }
}

async function keylessAccess(deps: AccessDeps): Promise<Access> {
  const { catchAllOwner } = deps
  if (catchAllOwner === null) throw new ServiceError('missing_api_key')
  const caller = await callerOf(deps, catchAllOwner)
  return { caller, inboxIds: [CATCH_ALL_INBOX], username: null }
}

function readCredentials(authorization: string): {
  readonly secret: string
  readonly inbox: string
} {
  const [, scheme = '', value = ''] = /^(Basic|Bearer) +(\S+) *$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return { secret: value, inbox: '' }
  const [, user = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(value, 'base64').toString('utf8')) ?? []
  const isKeyPassword = password.startsWith(KEY_START)
  return isKeyPassword ? { secret: password, inbox: user } : { secret: user, inbox: '' }
}

/** The caller without a key: the first key of an account stands for it. */
async function callerOf({ store, clock }: AccessDeps, accountId: AccountId): Promise<Caller> {
  const [key] = await store.keys.list(accountId, clock.now())
  const account = await store.accounts.find(accountId)
  if (key === undefined || account === null) throw new ServiceError('missing_api_key')
  const { id: keyId, prefix: keyPrefix, role, environment } = key
  return { accountId, keyId, keyPrefix, role, environment, plan: account.plan }
}
