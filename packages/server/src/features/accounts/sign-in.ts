import type { AccountId, Role } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import { requireAdmin } from '../rules/admin.ts'
import { type Caller, hashSecret } from './authenticate.ts'
import { type IssuedKey, issueKey } from './keys.ts'

export type SignInDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly baseUrl: () => string
  /** The account that anyone may sign in to; null for none. */
  readonly catchAllOwner: AccountId | null
}

/** A link that signs in once. */
export type SignInLink = { readonly url: string; readonly expiresAt: string }

const LINK_MS = 10 * 60 * 1000
const TOKEN_BYTES = 32
const DASHBOARD_KEY = 'dashboard'

/** Keys of the dashboard that an account keeps: browsers that are signed in at the same time. */
const DASHBOARD_KEYS_MAX = 20

/** Creates a sign-in link to the caller's account; admins only. */
export async function createSignInLink(deps: SignInDeps, caller: Caller): Promise<SignInLink> {
  requireAdmin(caller)
  return linkTo(deps, caller.accountId)
}

/** Creates a sign-in link to an account. */
export async function linkTo(
  deps: Omit<SignInDeps, 'catchAllOwner'>,
  accountId: AccountId,
): Promise<SignInLink> {
  const token = Buffer.from(deps.ids.randomBytes(TOKEN_BYTES)).toString('base64url')
  const now = deps.clock.now()
  const expiresAt = now + LINK_MS
  await deps.store.signInLinks.add(accountId, {
    tokenHash: hashSecret(token),
    expiresAt,
    now,
  })
  return { url: `${deps.baseUrl()}/#token=${token}`, expiresAt: new Date(expiresAt).toISOString() }
}

/**
 * Exchanges the token of a link for a key. The oldest keys of the dashboard are revoked: someone
 * who often signs in and never signs out must not collect keys without end.
 */
export async function signIn(deps: SignInDeps, given: string): Promise<IssuedKey> {
  const token = given.replace(/^#?token=/, '')
  const now = deps.clock.now()
  return deps.store.transaction(async (tx) => {
    const accountId = await tx.signInLinks.take(hashSecret(token), now)
    if (accountId === null) throw new ServiceError('invalid_sign_in_token')
    return addDashboardKey({ ...deps, store: tx }, accountId, 'admin')
  })
}

/** A member key of the account whose catch-all inbox everyone may read. */
export async function signInWithoutKey(deps: SignInDeps): Promise<IssuedKey> {
  const { catchAllOwner } = deps
  if (catchAllOwner === null) throw new ServiceError('missing_api_key')
  return deps.store.transaction((tx) =>
    addDashboardKey({ ...deps, store: tx }, catchAllOwner, 'member'),
  )
}

async function addDashboardKey(
  deps: Pick<SignInDeps, 'clock' | 'ids'> & { readonly store: Tables },
  accountId: AccountId,
  role: Role,
): Promise<IssuedKey> {
  const tx = deps.store
  await tx.accounts.lock(accountId)
  const signedIn = (await tx.keys.list(accountId)).filter(({ name }) => name === DASHBOARD_KEY)
  const oldestFirst = signedIn.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  for (const key of oldestFirst.slice(0, Math.max(0, signedIn.length + 1 - DASHBOARD_KEYS_MAX))) {
    await tx.keys.revoke(accountId, key.id, deps.clock.now())
  }
  return issueKey(deps, accountId, { name: DASHBOARD_KEY, environment: 'live', role })
}
