import type { CallOptions } from './call-options.ts'
import type { Requester } from './request.ts'

/** Whether a key is for production or for trying out; records are shared, usage is split. */
export type Environment = 'live' | 'test'

/** What a key may do: an admin also makes and revokes keys and registers domains. */
export type Role = 'admin' | 'member'

/** A key without its secret. */
export type Key = {
  readonly id: string
  readonly name: string
  readonly environment: Environment
  readonly role: Role
  /** The beginning of the secret, to tell keys apart. */
  readonly prefix: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** A key with its secret, which is shown this once. */
export type IssuedKey = { readonly apiKey: string; readonly key: Key }

/** A key to be made: `live` and `member` unless said otherwise. */
export type CreateKeyOptions = CallOptions & {
  readonly name: string
  readonly environment?: Environment
  readonly role?: Role
}

/** Calls about keys. */
export type KeyCalls = {
  /** Makes a key; needs an admin key. */
  create(options: CreateKeyOptions): Promise<IssuedKey>
  /** The active keys. */
  list(options?: CallOptions): Promise<readonly Key[]>
  /** Gives this client's key a new secret, and goes on with it: the old one is dead at once. */
  rotate(options?: CallOptions): Promise<IssuedKey>
  /** Ends a key at once; needs an admin key. */
  revoke(keyId: string, options?: CallOptions): Promise<void>
}

/** Binds the calls about keys. */
export function keyCalls(requester: Requester): KeyCalls {
  const path = '/v1/keys'
  return {
    create: ({ signal, ...body }) => requester.json({ method: 'POST', path, body, signal }),
    list: async ({ signal } = {}) =>
      (await requester.json<{ keys: Key[] }>({ method: 'GET', path, signal })).keys,
    rotate: async ({ signal } = {}) => {
      const call = { method: 'POST', path: `${path}/rotate`, signal } as const
      const issued = await requester.json<IssuedKey>(call)
      requester.useKey(issued.apiKey)
      return issued
    },
    revoke: (keyId, { signal } = {}) =>
      requester.done({ method: 'DELETE', path: `${path}/${encodeURIComponent(keyId)}`, signal }),
  }
}
