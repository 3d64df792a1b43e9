import { hash } from 'node:crypto'
import type { ConnectionProvider } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { requireAdmin } from '../rules/admin.ts'
import { CALLBACK_PATH, chooseProvider, type Providers } from './providers.ts'

export type ConnectionDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly providers: Providers
  readonly baseUrl: () => string
}

/** How long the person may take at the provider. */
export const ATTEMPT_MS = 10 * 60 * 1000

/** Seconds for Retry-After when a provider did not respond. */
export const PROVIDER_RETRY_SECONDS = 10

/**
 * Begins to connect an external account; admins only.
 *
 * State, nonce and PKCE verifier are new for each attempt. The state, of which only a hash is
 * stored, identifies the attempt; the verifier makes a code of another attempt useless; the nonce
 * binds the ID token to this attempt.
 */
export async function beginConnection(
  deps: ConnectionDeps,
  caller: Caller,
  request: { readonly provider?: ConnectionProvider | undefined },
): Promise<{ authorizationUrl: string }> {
  requireAdmin(caller)
  const { store, ids } = deps
  const { name, provider } = chooseProvider(deps.providers, request.provider)
  if ((await store.connections.find(caller.accountId)) !== null) {
    throw new ServiceError('identity_connected', {
      message: 'An external account is connected to your account already. Disconnect it first.',
    })
  }
  const secrets = {
    state: ids.inCell(ids.secret()),
    nonce: ids.secret(),
    codeVerifier: ids.secret(),
  }
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
  await store.connections.deleteAttempts(now - ATTEMPT_MS)
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

/** The stored form of a state: a copy of the store must not suffice to complete an attempt. */
export function hashState(state: string): string {
  return hash('sha256', state, 'hex')
}
