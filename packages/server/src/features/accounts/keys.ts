import type { AccountId, Environment, Key, KeyId, Role } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import { requireAdmin } from '../rules/admin.ts'
import { apiKeyPrefix, type Caller, hashSecret } from './authenticate.ts'

export type KeyDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  /** Ends the waits and streams of a key on this node; other nodes find out by polling. */
  readonly held: { readonly endKey: (key: { readonly keyId: KeyId }) => void }
}

/** The properties of a new key. */
export type NewKeyFields = {
  readonly name: string
  readonly environment: Environment
  readonly role: Role
  /** When a session of the dashboard ends; null for a key. */
  readonly expiresAt?: number | null
}

/** A key with its secret, which is shown only once. */
export type IssuedKey = { readonly apiKey: string; readonly key: Key }

/** Creates a key for an account. */
export async function issueKey(
  deps: { readonly store: Tables; readonly clock: Clock; readonly ids: Ids },
  accountId: AccountId,
  fields: NewKeyFields,
): Promise<IssuedKey> {
  return addKey(deps, accountId, { ...fields, apiKey: deps.ids.apiKey(fields.environment) })
}

/** Adds a key with a given secret to an account. */
export async function addKey(
  deps: { readonly store: Tables; readonly clock: Clock; readonly ids: Ids },
  accountId: AccountId,
  { apiKey, ...fields }: NewKeyFields & { readonly apiKey: string },
): Promise<IssuedKey> {
  const key = await deps.store.keys.add({
    id: deps.ids.next('key'),
    accountId,
    ...fields,
    ...storedFields(apiKey),
    createdAt: deps.clock.now(),
  })
  return { apiKey, key }
}

/** Creates a named key; admins only. */
export async function createKey(
  deps: KeyDeps,
  caller: Caller,
  fields: NewKeyFields,
): Promise<IssuedKey> {
  requireAdmin(caller)
  return issueKey(deps, caller.accountId, fields)
}

/** Active keys of the caller's account, and browsers that are signed in to it. */
export async function listKeys(
  deps: KeyDeps,
  caller: Caller,
): Promise<{ keys: Key[]; sessions: Key[] }> {
  const all = await deps.store.keys.list(caller.accountId, deps.clock.now())
  const keys = all.filter(({ expiresAt }) => expiresAt === null)
  return { keys, sessions: all.filter(({ expiresAt }) => expiresAt !== null) }
}

/** Replaces the secret of the calling key; the old one stops working with the commit. */
export async function rotateKey(deps: KeyDeps, caller: Caller): Promise<IssuedKey> {
  const apiKey = deps.ids.apiKey(caller.environment)
  const key = await deps.store.keys.replaceSecret(
    caller.accountId,
    caller.keyId,
    storedFields(apiKey),
  )
  // Revoked since the call was authenticated.
  if (key === null) throw new ServiceError('invalid_api_key')
  deps.held.endKey({ keyId: caller.keyId })
  return { apiKey, key }
}

/**
 * Revokes a key; admins only, and never the last admin key.
 *
 * The account is locked, so that two admins who revoke each other's key at the same time do not
 * leave the account without one.
 */
export async function revokeKey(deps: KeyDeps, caller: Caller, id: KeyId): Promise<void> {
  requireAdmin(caller)
  await deps.store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId)
    const keys = await tx.keys.list(caller.accountId, deps.clock.now())
    const key = keys.find((candidate) => candidate.id === id)
    if (key === undefined) throw new ServiceError('key_not_found')
    const isLasting = ({ role, expiresAt }: Key) => role === 'admin' && expiresAt === null
    if (isLasting(key) && keys.filter(isLasting).length === 1)
      throw new ServiceError('last_admin_key')
    await tx.keys.revoke(caller.accountId, id, deps.clock.now())
  })
  deps.held.endKey({ keyId: id })
}

function storedFields(apiKey: string) {
  return { prefix: apiKeyPrefix(apiKey), secretHash: hashSecret(apiKey) }
}
