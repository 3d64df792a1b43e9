import type { CallOptions } from './connection.ts'
import { callOptions } from './options.ts'
import type { Requester } from './request.ts'

/** The environment of a key; both see the same records, usage is counted separately. */
export type Environment = 'live' | 'test'

/** The role of a key: only an admin key creates and revokes keys and registers domains. */
export type Role = 'admin' | 'member'

/** A key without its secret. */
export type Key = {
  readonly id: string
  readonly name: string
  readonly environment: Environment
  readonly role: Role
  /** The beginning of the secret, to distinguish keys. */
  readonly prefix: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** When a session of the dashboard ends; null for a key, which does not expire. */
  readonly expiresAt: string | null
}

/** A key with its secret, which is returned only here. */
export type IssuedKey = { readonly apiKey: string; readonly key: Key }

/** The key to create; by default `live` and `member`. */
type CreateKeyOptions = CallOptions & {
  readonly name: string
  readonly environment?: Environment
  readonly role?: Role
}

/** Calls about keys. */
export type KeyCalls = {
  /** Creates a key; needs an admin key. */
  create(options: CreateKeyOptions): Promise<IssuedKey>
  /** The active keys. */
  list(options?: CallOptions): Promise<readonly Key[]>
  /** Replaces the secret of this client's key and uses the new one; the old one is invalid. */
  rotate(options?: CallOptions): Promise<IssuedKey>
  /** Revokes a key immediately; needs an admin key. */
  revoke(keyId: string, options?: CallOptions): Promise<void>
}

/** Binds the calls about keys. */
export function keyCalls(requester: Requester): KeyCalls {
  const path = '/v1/keys'
  return {
    create: ({ signal, ...body }) => requester.json({ method: 'POST', path, body, signal }),
    list: async (options) =>
      requester.field('keys', { method: 'GET', path, ...callOptions(options) }),
    rotate: async (options) => {
      const call = { method: 'POST', path: `${path}/rotate`, ...callOptions(options) } as const
      const issued = await requester.json<IssuedKey>(call)
      requester.useKey(issued.apiKey)
      return issued
    },
    revoke: async (keyId, options) =>
      requester.done({
        method: 'DELETE',
        path: `${path}/${encodeURIComponent(keyId)}`,
        ...callOptions(options),
      }),
  }
}
