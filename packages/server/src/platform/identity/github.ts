import {
  authorizationUrl,
  type Configuration,
  cached,
  type IdentityProvider,
  insecureIfPlain,
  redeemed,
  TIMEOUT_SECONDS,
} from './provider.ts'

/** GitHub, or a GitHub Enterprise server. */
export type GitHubSettings = {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Connects accounts of GitHub, whose OAuth has neither discovery nor ID tokens. */
export function gitHubProvider(settings: GitHubSettings): IdentityProvider {
  const configured = cached(() => configureGitHub(settings))
  return {
    name: 'GitHub',
    authorizationUrl: (secrets, redirectUri) =>
      authorizationUrl(configured, secrets, { redirect_uri: redirectUri }),
    redeem: (callback, secrets) =>
      redeemed(async (client) => {
        const configuration = await configured()
        const tokens = await client.authorizationCodeGrant(configuration, callback, {
          expectedState: secrets.state,
          pkceCodeVerifier: secrets.codeVerifier,
        })
        const response = await client.fetchProtectedResource(
          configuration,
          tokens.access_token,
          gitHubUserUrl(settings.url),
          'GET',
          null,
          new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'mayfly' }),
        )
        const user: unknown = await response.json()
        return { issuer: settings.url, subject: gitHubUserId(user) }
      }),
  }
}

async function configureGitHub(settings: GitHubSettings): Promise<Configuration> {
  const client = await import('openid-client')
  const { url, clientId, clientSecret } = settings
  const server = {
    issuer: url,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  }
  const configuration = new client.Configuration(
    server,
    clientId,
    {},
    client.ClientSecretPost(clientSecret),
  )
  configuration.timeout = TIMEOUT_SECONDS
  for (const execute of insecureIfPlain(client, url)) execute(configuration)
  return configuration
}

/** GitHub serves its API from another host, an Enterprise server from a path. */
function gitHubUserUrl(url: string): URL {
  return new URL(
    url === 'https://github.com' ? 'https://api.github.com/user' : `${url}/api/v3/user`,
  )
}

function gitHubUserId(user: unknown): string {
  const id = typeof user === 'object' && user !== null ? Reflect.get(user, 'id') : undefined
  if (!Number.isSafeInteger(id)) throw new TypeError('the GitHub response has no user id')
  return String(id)
}
