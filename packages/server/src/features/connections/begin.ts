import { hash } from 'node:crypto'
import type { ConnectionProvider } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { CALLBACK_PATH, chooseProvider, type Providers } from './providers.ts'

/** What connections need. */
export type ConnectionDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly providers: Providers
  readonly baseUrl: () => string
  readonly requireAdmin: (caller: Caller) => void
}

/** How long a person may take to agree. */
export const ATTEMPT_MS = 10 * 60 * 1000

/** Seconds after which a provider that did not answer is worth another try. */
export const PROVIDER_RETRY_SECONDS = 10

/**
 * Begins to connect an external account; admins only.
 *
 * State, nonce and PKCE verifier are new each time and stay here: the state, of which only a
 * hash is kept, finds the attempt; the verifier makes a code that was issued for another
 * attempt worthless; the nonce ties the ID token to this one.
 */
export async function beginConnection(
  deps: ConnectionDeps,
  caller: Caller,
  options: { readonly provider?: ConnectionProvider | undefined },
): Promise<{ authorizationUrl: string }> {
  deps.requireAdmin(caller)
  const { store, ids } = deps
  const { name, provider } = chooseProvider(deps.providers, options.provider)
  if ((await store.connections.find(caller.accountId)) !== null) {
    throw new ServiceError('identity_connected', {
      message: 'An external account is connected to your account already. Disconnect it first.',
    })
  }
  const secrets = { state: ids.secret(), nonce: ids.secret(), codeVerifier: ids.secret() }
  const authorizationUrl = await provider.authorizationUrl(
    secrets,
    `${deps.baseUrl()}${CALLBACK_PATH}`,
  )
  if (authorizationUrl === null) {
    throw new ServiceError('identity_provider_unavailable', {
      retryAfterSeconds: PROVIDER_RETRY_SECONDS,
    })
  }
  const now = deps.clock.now()
  await store.connections.forgetAttempts(now - ATTEMPT_MS)
  await store.connections.addAttempt({
    stateHash: hashState(secrets.state),
    accountId: caller.accountId,
    provider: name,
    codeVerifier: secrets.codeVerifier,
    nonce: secrets.nonce,
    createdAt: now,
  })
  return { authorizationUrl }
}

/** What is kept of a state: who reads the store cannot come back in a person's place. */
export function hashState(state: string): string {
  return hash('sha256', state, 'hex')
}
