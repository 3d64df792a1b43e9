import { elapsedMs } from '../clock.ts'

/** Who somebody is at a provider, for as long as the provider lives. */
export type Identity = { readonly issuer: string; readonly subject: string }

/** What only we know of a connection that was begun. */
export type ConnectionSecrets = {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** What became of a callback. */
export type Redeemed =
  | { readonly state: 'known'; readonly identity: Identity }
  /** The person declined, or the answer is not one to what we asked. */
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unavailable'; readonly reason: string }

/** Where people have accounts that they can connect. */
export type IdentityProvider = {
  /** As a person knows it. */
  readonly name: string
  /** Where the person goes to agree; null when the provider does not answer. */
  authorizationUrl(secrets: ConnectionSecrets, redirectUri: string): Promise<string | null>
  /** Asks the provider who came back with this URL. */
  redeem(callback: URL, secrets: ConnectionSecrets): Promise<Redeemed>
}

/** The library, which is loaded when somebody first connects. */
export type OpenIdClient = typeof import('openid-client')

/** A provider and what we are to it. */
export type Configuration = InstanceType<OpenIdClient['Configuration']>

/** A person waits for the answer. */
export const TIMEOUT_SECONDS = 10

/** How long what discovery told is believed. */
const DISCOVERED_MS = 60 * 60 * 1000

/** Plain HTTP is for providers on the same machine; the configuration refuses any other. */
export function insecureIfPlain(client: OpenIdClient, url: string) {
  return url.startsWith('http:') ? [client.allowInsecureRequests] : []
}

/** Where the person goes to agree, with our state and the proof that the code is for us. */
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
 * What the provider said no to is refused; what it did not say, or could not be reached to
 * say, is not held against the person.
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

/** Codes by which openid-client tells that the answer was there, and a wrong one. */
const WRONG_ANSWER = /^OAUTH_(?:INVALID_RESPONSE|JWT_)/

function isRefusal(client: OpenIdClient, error: unknown): boolean {
  if (error instanceof client.AuthorizationResponseError) return true
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  if (error instanceof client.ResponseBodyError) return error.status < 500
  const code = error instanceof client.ClientError ? error.code : undefined
  return code !== undefined && WRONG_ANSWER.test(code)
}

/** The same answer for a while; a failure is forgotten at once. */
export function remembered<T>(make: () => Promise<T>): () => Promise<T> {
  let known: { readonly value: Promise<T>; readonly at: number } | null = null
  return () => {
    const at = elapsedMs()
    if (known === null || at - known.at > DISCOVERED_MS) {
      const value = make()
      known = { value, at }
      value.catch(() => {
        known = null
      })
    }
    return known.value
  }
}
