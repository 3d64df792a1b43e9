import {
  authorizationUrl,
  type Configuration,
  cached,
  type IdentityProvider,
  insecureIfPlain,
  type OpenIdClient,
  redeemed,
  TIMEOUT_SECONDS,
} from './provider.ts'

/** An OpenID Connect provider, found by discovery. */
export type OidcSettings = {
  readonly name: string | null
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which uses PKCE alone. */
  readonly clientSecret: string | null
}

/** Connects accounts of an OpenID Connect provider. */
export function oidcProvider(settings: OidcSettings): IdentityProvider {
  const discovered = cached(() => discover(settings))
  return {
    name: settings.name ?? new URL(settings.issuer).host,
    authorizationUrl: (secrets, redirectUri) =>
      authorizationUrl(discovered, secrets, {
        redirect_uri: redirectUri,
        scope: 'openid',
        nonce: secrets.nonce,
      }),
    redeem: (callback, secrets) =>
      redeemed(async (client) => {
        const configuration = await discovered()
        const tokens = await client.authorizationCodeGrant(configuration, callback, {
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.codeVerifier,
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new TypeError('the token response holds no ID token')
        return { issuer: claims.iss, subject: claims.sub }
      }),
  }
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const client = await import('openid-client')
  const { issuer, clientId, clientSecret } = settings
  return client.discovery(
    new URL(issuer),
    clientId,
    {},
    clientSecret === null ? client.None() : secretAuthentication(client, clientSecret),
    { timeout: TIMEOUT_SECONDS, execute: insecureIfPlain(client, issuer) },
  )
}

/** `client_secret_post` where the provider supports it, else `client_secret_basic`. */
function secretAuthentication(client: OpenIdClient, secret: string) {
  const inBody = client.ClientSecretPost(secret)
  const inHeader = client.ClientSecretBasic(secret)
  return (...args: Parameters<typeof inBody>) => {
    const [{ token_endpoint_auth_methods_supported: supported }] = args
    const authenticate = supported?.includes('client_secret_post') === true ? inBody : inHeader
    return authenticate(...args)
  }
}
