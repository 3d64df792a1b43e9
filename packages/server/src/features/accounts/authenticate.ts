import { hash, timingSafeEqual } from 'node:crypto'
import type { AccountId, Environment, KeyId, Plan, Role } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import { apiKeyPrefix } from './secret.ts'

/** Who makes a call: an account, by one of its keys. */
export type Caller = {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly role: Role
  readonly environment: Environment
  readonly plan: Plan
}

/** Longest text that is looked at as a key; ours have 51 characters. */
const SECRET_LENGTH_MAX = 100

/**
 * The caller whose key this is.
 *
 * Read from the store at each call, without a cache: a key that was revoked, rotated or whose
 * account was suspended stops working at once, on every node.
 */
export async function authenticate(
  deps: { readonly store: Tables },
  secret: string,
): Promise<Caller> {
  if (secret.length > SECRET_LENGTH_MAX) throw new ServiceError('invalid_api_key')
  const hashed = hashSecret(secret)
  const credentials = await deps.store.keys.findCredentials(apiKeyPrefix(secret))
  const found = credentials.find(({ secretHash }) => timingSafeEqual(secretHash, hashed))
  if (found === undefined) throw new ServiceError('invalid_api_key')
  const { secretHash: _, ...caller } = found
  return caller
}

/**
 * What is stored of a secret. One plain hash is enough where a password would need a slow
 * one: the secret has 256 bits of chance, so there is nothing to guess.
 */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Stops a call that only an admin key may make. */
export function requireAdmin(caller: Caller): void {
  if (caller.role !== 'admin') throw new ServiceError('admin_required')
}
