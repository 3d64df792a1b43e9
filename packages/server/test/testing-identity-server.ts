import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** A provider of identities on this machine, for as long as it is needed. */
export type IdentityServer = AsyncDisposable & {
  readonly url: string
  /** Says where the browser is sent back to, which the provider must know beforehand. */
  register(redirectUri: string): void
  stop(): Promise<void>
}

const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  format: 'jwk',
})

/** Our client at every provider of the tests. */
export const CLIENT = { id: 'mayfly', secret: 'not-much-of-a-secret-but-long-enough' }

/** The real oidc-provider, with its pages for signing in by any name and agreeing. */
export async function startOidcServer(): Promise<IdentityServer> {
  return startServer((url, redirectUri) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      cookies: { keys: ['only for tests'] },
      jwks: { keys: [signingKey] },
    })
    return provider.callback()
  })
}

/** A stand-in for GitHub: the four answers of its OAuth that matter, PKCE not checked. */
export async function startGitHub(userIds: Readonly<Record<string, number>>) {
  return startServer(() => (request, response) => {
    const url = new URL(request.url ?? '/', 'http://github')
    const json = (body: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (url.pathname === '/login/oauth/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      // Whoever is signed in agrees: the login is the code, as the test wants it.
      back.searchParams.set('code', request.headers['x-login']?.toString() ?? 'nobody')
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      response.writeHead(302, { location: back.href }).end()
    } else if (url.pathname === '/login/oauth/access_token') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString())
        const login = form.get('code') ?? ''
        // GitHub answers 200 to a wrong code as well.
        if (!Object.hasOwn(userIds, login)) return json({ error: 'bad_verification_code' })
        json({ access_token: `token-${login}`, token_type: 'bearer', scope: '' })
      })
    } else if (url.pathname === '/api/v3/user') {
      const login = request.headers.authorization?.replace(/^bearer token-/i, '') ?? ''
      json({ login, id: userIds[login] }, Object.hasOwn(userIds, login) ? 200 : 401)
    } else {
      json({ message: 'Not Found' }, 404)
    }
  })
}

async function startServer(
  create: (url: string, redirectUri: string) => RequestListener,
): Promise<IdentityServer> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => {
    // No connection outlives its answer, so that nothing is left when a test ends.
    response.setHeader('connection', 'close')
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  // A listening server has an address that is not a path.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url,
    register: (redirectUri) => {
      answer = create(url, redirectUri)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
