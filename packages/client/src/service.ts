import type { Key } from './keys.ts'

/** Information about the service. */
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
