import { elapsedMs } from '../clock.ts'

/** A user of a provider. The subject never changes, unlike a name or an email address. */
export type Identity = { readonly issuer: string; readonly subject: string }

/** Secrets of one authorization request, kept on our side until the callback. */
export type ConnectionSecrets = {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The outcome of a callback. */
export type Redeemed =
  | { readonly state: 'known'; readonly identity: Identity }
  /** The user declined, or the response does not belong to our request. */
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unavailable'; readonly reason: string }

/** A provider whose accounts users can connect. */
export type IdentityProvider = {
  /** The name shown to users. */
  readonly name: string
  /** Where the user is sent to agree; null when the provider is unavailable. */
  authorizationUrl(secrets: ConnectionSecrets, redirectUri: string): Promise<string | null>
  /** Exchanges the code in the callback URL for the identity of the user. */
  redeem(callback: URL, secrets: ConnectionSecrets): Promise<Redeemed>
}

/** The library, loaded when an account is first connected. */
export type OpenIdClient = typeof import('openid-client')

/** A provider's endpoints and our client credentials. */
export type Configuration = InstanceType<OpenIdClient['Configuration']>

/** Longest wait for the provider: a user is waiting in the browser. */
export const TIMEOUT_SECONDS = 10

/** How long a discovery document is cached. */
const CONFIGURATION_TTL_MS = 60 * 60 * 1000

/** Allows plain HTTP, which the configuration accepts for loopback providers alone. */
export function insecureIfPlain(client: OpenIdClient, url: string) {
  return url.startsWith('http:') ? [client.allowInsecureRequests] : []
}

/** The authorization URL with state and PKCE challenge; null when the provider is unavailable. */
export async function authorizationUrl(
  configure: () => Promise<Configuration>,
  secrets: ConnectionSecrets,
  parameters: Readonly<Record<string, string>>,
): Promise<string | null> {
  const client = await import('openid-client')
  const configuration = await configure().catch(() => null)
  if (configuration === null) return null
  return client.buildAuthorizationUrl(configuration, {
    ...parameters,
    state: secrets.state,
    code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
    code_challenge_method: 'S256',
  }).href
}

/**
 * Runs the exchange. An error response is a refusal; a provider that fails or cannot be reached is
 * `unavailable`, so that the user may try again.
 */
export async function redeemed(
  ask: (client: OpenIdClient) => Promise<Identity>,
): Promise<Redeemed> {
  const client = await import('openid-client')
  try {
    return { state: 'known', identity: await ask(client) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { state: isRefusal(client, error) ? 'refused' : 'unavailable', reason }
  }
}

/** Codes of openid-client for a response that arrived and is invalid. */
const INVALID_RESPONSE = /^OAUTH_(?:INVALID_RESPONSE|JWT_)/

function isRefusal(client: OpenIdClient, error: unknown): boolean {
  if (error instanceof client.AuthorizationResponseError) return true
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  if (error instanceof client.ResponseBodyError) return error.status < 500
  const code = error instanceof client.ClientError ? error.code : undefined
  return code !== undefined && INVALID_RESPONSE.test(code)
}

/** Caches the result of `make` for an hour; a failure is not cached. */
export function cached<T>(make: () => Promise<T>): () => Promise<T> {
  let known: { readonly value: Promise<T>; readonly at: number } | null = null
  return () => {
    const at = elapsedMs()
    if (known === null || at - known.at > CONFIGURATION_TTL_MS) {
      const value = make()
      known = { value, at }
      value.catch(() => {
        known = null
      })
    }
    return known.value
  }
}
