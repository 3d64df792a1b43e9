import type { CallOptions } from './connection.ts'
import type { Key } from './keys.ts'
import type { Requester } from './request.ts'

/** What a service tells about itself. */
export type ServiceDescription = {
  readonly version: string
  /** Where it receives mail. */
  readonly smtp: { readonly host: string; readonly port: number }
  /** The file with a key of the local account, on the machine of the service; null without one. */
  readonly localKeyFile: string | null
}

/** A link that opens the dashboard signed in; it works once. */
export type SignInLink = { readonly url: string; readonly expiresAt: string }

/** A key that a sign-in link was exchanged for; `apiKey` is returned only here. */
export type SignedIn = { readonly apiKey: string; readonly key: Key }

/** Reads what the service tells about itself. */
export function readServiceWith(
  requester: Requester,
  { signal }: CallOptions,
): Promise<ServiceDescription> {
  return requester.json({ method: 'GET', path: '/v1/service', signal })
}

/** Exchanges the token of a sign-in link for a key. */
export function signInWith(
  requester: Requester,
  { token, signal }: CallOptions & { readonly token: string },
): Promise<SignedIn> {
  return requester.json({ method: 'POST', path: '/v1/sign-in', body: { token }, signal })
}
