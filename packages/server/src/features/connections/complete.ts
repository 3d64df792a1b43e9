import type { AccountId, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { ConnectionAttempt, ExternalIdentity } from '../../store/tables/connections.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { requireAdmin } from '../rules/admin.ts'
import { ATTEMPT_MS, type ConnectionDeps, hashState, PROVIDER_RETRY_SECONDS } from './begin.ts'
import { CALLBACK_PATH } from './providers.ts'

/** The content of the final page. */
export type Connected = {
  readonly email: string
  readonly plan: Plan
  readonly providerName: string
}

/** The content of the page that asks for confirmation. */
export type ConnectionQuestion = {
  readonly email: string
  readonly providerName: string
  /** A new secret. A request that repeats it comes from the page that asked. */
  readonly confirmation: string
}

/**
 * The question for the person whose browser returns from the provider with this query.
 *
 * The state identifies the account that began the attempt, not the person in this browser: an
 * attacker may have sent someone the URL of his own attempt. So the person sees whose account it is
 * before anything is connected.
 */
export async function askToConnect(
  deps: ConnectionDeps,
  query: string,
): Promise<ConnectionQuestion> {
  const state = new URLSearchParams(query).get('state') ?? ''
  const attempt = await deps.store.connections.findAttempt(hashState(state))
  const provider = attempt === null ? undefined : deps.providers.get(attempt.provider)
  if (attempt === null || provider === undefined) {
    throw new ServiceError('connection_attempt_unknown')
  }
  const { email } = await getAccount(deps.store, attempt.accountId)
  return { email, providerName: provider.name, confirmation: deps.ids.secret() }
}

/**
 * Completes a connection when the browser returns from the provider with this query.
 *
 * The attempt is deleted first, whatever the result, so that a callback URL works only once.
 */
export async function completeConnection(deps: ConnectionDeps, query: string): Promise<Connected> {
  const callback = new URL(`${deps.baseUrl()}${CALLBACK_PATH}${query}`)
  const state = callback.searchParams.get('state') ?? ''
  const attempt = await deps.store.connections.takeAttempt(hashState(state))
  const now = deps.clock.now()
  const provider = attempt === null ? undefined : deps.providers.get(attempt.provider)
  if (attempt === null || provider === undefined || attempt.createdAt <= now - ATTEMPT_MS) {
    throw new ServiceError('connection_attempt_unknown')
  }
  const redeemed = await provider.redeem(callback, { ...attempt, state })
  if (redeemed.state === 'unavailable') {
    throw new ServiceError('identity_provider_unavailable', {
      retryAfterSeconds: PROVIDER_RETRY_SECONDS,
    })
  }
  if (redeemed.state === 'refused') {
    throw new ServiceError('connection_refused', {
      message: `${provider.name} did not confirm who you are (${redeemed.reason}). Start again.`,
    })
  }
  return deps.store.transaction(async (tx) => {
    await connect(tx, attempt, { identity: redeemed.identity, now })
    const account = await getAccount(tx, attempt.accountId)
    return { email: account.email, plan: account.plan, providerName: provider.name }
  })
}

/** An identity connects one account; connecting the same pair again is not a conflict. */
async function connect(
  tx: Tables,
  { accountId }: ConnectionAttempt,
  { identity, now }: { readonly identity: ExternalIdentity; readonly now: number },
): Promise<void> {
  await tx.accounts.lock(accountId)
  const known = await tx.connections.find(accountId)
  if (known?.issuer === identity.issuer && known.subject === identity.subject) return
  const { plan } = await getAccount(tx, accountId)
  const isNew =
    known === null &&
    (await tx.connections.add(accountId, identity, { connectedAt: now, planBefore: plan }))
  if (!isNew) throw new ServiceError('identity_connected')
  await tx.connections.changePlan(accountId, { from: 'key_only', to: 'connected' })
}

/** Disconnects the caller's external account and restores the plan from before; admins only. */
export async function deleteConnection(deps: ConnectionDeps, caller: Caller): Promise<void> {
  requireAdmin(caller)
  await deps.store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId)
    const planBefore = await tx.connections.remove(caller.accountId)
    if (planBefore === null) throw new ServiceError('connection_not_found')
    await tx.connections.changePlan(caller.accountId, { from: 'connected', to: planBefore })
  })
}

async function getAccount(tx: Tables, id: AccountId) {
  const account = await tx.accounts.find(id)
  // Purged by the operator since the attempt was begun.
  if (account === null) throw new ServiceError('connection_attempt_unknown')
  return account
}
