import { hash, timingSafeEqual } from 'node:crypto'
import type { AccountId, Environment, KeyId, Plan, Role } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeyCredential } from '../../store/tables/keys.ts'
import { accountMoving, cellOfKey, requireOwnCell } from '../rules/cell.ts'

/** The account that makes a call, and the key that it uses. */
export type Caller = {
  readonly accountId: AccountId
  readonly keyId: KeyId
  /** Changes when the key is rotated. */
  readonly keyPrefix: string
  readonly role: Role
  readonly environment: Environment
  readonly plan: Plan
}

/** Longest text that is looked up as a key; ours have 51 to 60 characters, chosen ones 109. */
const SECRET_LENGTH_MAX = 110

/** Characters of the secret part that are stored in the clear, to look a key up and to show it. */
const PREFIX_LENGTH = 8

export type AuthenticateDeps = {
  /**
   * Active keys with this prefix, as the store has them now: a key that was revoked or rotated, or
   * whose account was suspended, stops working at once on every node.
   */
  readonly findCredentials: (prefix: string) => Promise<readonly KeyCredential[]>
  readonly clock: Pick<Clock, 'now'>
  /** The name of this cell; null without one. */
  readonly cell: string | null
}

/** The caller with this key. */
export async function authenticate(deps: AuthenticateDeps, secret: string): Promise<Caller> {
  if (secret.length > SECRET_LENGTH_MAX) throw new ServiceError('invalid_api_key')
  const keyPrefix = apiKeyPrefix(secret)
  const ownHash = hashSecret(secret)
  const credentials = await deps.findCredentials(keyPrefix)
  const found = credentials.find(({ secretHash }) => timingSafeEqual(secretHash, ownHash))
  if (found === undefined) {
    requireOwnCell(deps.cell, cellOfKey(secret), 'This API key')
    throw new ServiceError('invalid_api_key')
  }
  const { accountId, keyId, role, environment, plan, expiresAt, movingTo } = found
  if (expiresAt !== null && expiresAt <= deps.clock.now()) throw new ServiceError('invalid_api_key')
  if (movingTo !== null) throw accountMoving(movingTo)
  return { accountId, keyId, keyPrefix, role, environment, plan }
}

/** The beginning of a key that is stored in the clear: `mf_live_` or `mf_live_CELL_`, and more. */
export function apiKeyPrefix(secret: string): string {
  return secret.slice(0, secret.lastIndexOf('_') + 1 + PREFIX_LENGTH)
}

/**
 * The stored form of a secret. A plain hash is enough, unlike for a password: a secret has 256
 * random bits and cannot be guessed.
 */
export function hashSecret(secret: string): Buffer {
  // As text and back: a buffer that the hash itself makes takes twice as long.
  return Buffer.from(hash('sha256', secret, 'latin1'), 'latin1')
}
