import type { AccountId, Key, Role } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import { requireAdmin } from '../rules/admin.ts'
import { cellOfToken, requireOwnCell } from '../rules/cell.ts'
import { type Caller, hashSecret } from './authenticate.ts'
import { type IssuedKey, issueKey, type KeyDeps } from './keys.ts'

export type SignInDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly baseUrl: () => string
  /** The account that anyone may sign in to; null for none. */
  readonly catchAllOwner: AccountId | null
  /** The name of this cell; null without one. */
  readonly cell: string | null
}

/** A link that signs in once. */
export type SignInLink = { readonly url: string; readonly expiresAt: string }

const LINK_MS = 10 * 60 * 1000
const TOKEN_BYTES = 32

/** How long a session lasts, and one of a device on which the user stays signed in. */
const SESSION_MS = 24 * 60 * 60 * 1000
const LONG_SESSION_MS = 30 * SESSION_MS

/** Browsers that are signed in to an account at the same time; the oldest ones are signed out. */
const SESSIONS_MAX = 20

/** Creates a sign-in link to the caller's account; admins only. */
export async function createSignInLink(deps: SignInDeps, caller: Caller): Promise<SignInLink> {
  requireAdmin(caller)
  return linkTo(deps, caller.accountId)
}

/** Creates a sign-in link to an account. */
export async function linkTo(
  deps: Omit<SignInDeps, 'catchAllOwner' | 'cell'>,
  accountId: AccountId,
): Promise<SignInLink> {
  const random = Buffer.from(deps.ids.randomBytes(TOKEN_BYTES)).toString('base64url')
  const token = deps.ids.inCell(random)
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
 * Exchanges the token of a link for the key of a session.
 */
export async function signIn(
  deps: SignInDeps,
  request: { readonly token: string; readonly staySignedIn: boolean },
): Promise<IssuedKey> {
  const token = request.token.replace(/^#?token=/, '')
  const now = deps.clock.now()
  return deps.store.transaction(async (tx) => {
    const accountId = await tx.signInLinks.take(hashSecret(token), now)
    if (accountId === null) {
      requireOwnCell(deps.cell, cellOfToken(token), 'This sign-in link')
      throw new ServiceError('invalid_sign_in_token')
    }
    const { staySignedIn } = request
    return addSession({ ...deps, store: tx }, accountId, { role: 'admin', staySignedIn })
  })
}

/** A session with the role `member` in the account whose catch-all inbox everyone may read. */
export async function signInWithoutKey(deps: SignInDeps): Promise<IssuedKey> {
  const { catchAllOwner } = deps
  if (catchAllOwner === null) throw new ServiceError('missing_api_key')
  return deps.store.transaction((tx) =>
    addSession({ ...deps, store: tx }, catchAllOwner, { role: 'member', staySignedIn: false }),
  )
}

/** Sets how long the calling session lasts from now. */
export async function changeSession(
  { store, clock }: SignInDeps,
  caller: Caller,
  { staySignedIn }: { readonly staySignedIn: boolean },
): Promise<Key> {
  const expiresAt = clock.now() + sessionMs(staySignedIn)
  const key = await store.keys.setExpiry(caller.accountId, caller.keyId, expiresAt)
  if (key === null) throw new ServiceError('session_not_found')
  return key
}

/** Ends the calling session. */
export async function signOut(deps: SignInDeps & KeyDeps, caller: Caller): Promise<void> {
  const { store, clock, held } = deps
  const { accountId, keyId } = caller
  const now = clock.now()
  if ((await store.keys.setExpiry(accountId, keyId, now)) === null) {
    throw new ServiceError('session_not_found')
  }
  await store.keys.revoke(accountId, keyId, now)
  held.endKey({ keyId })
}

async function addSession(
  deps: Pick<SignInDeps, 'clock' | 'ids'> & { readonly store: Tables },
  accountId: AccountId,
  { role, staySignedIn }: { readonly role: Role; readonly staySignedIn: boolean },
): Promise<IssuedKey> {
  const { keys, accounts } = deps.store
  const now = deps.clock.now()
  await accounts.lock(accountId)
  const sessions = (await keys.list(accountId, now)).filter(({ expiresAt }) => expiresAt !== null)
  for (const key of sessions.slice(0, Math.max(0, sessions.length + 1 - SESSIONS_MAX))) {
    await keys.revoke(accountId, key.id, now)
  }
  const expiresAt = now + sessionMs(staySignedIn)
  return issueKey(deps, accountId, { name: 'dashboard', environment: 'live', role, expiresAt })
}

function sessionMs(staySignedIn: boolean): number {
  return staySignedIn ? LONG_SESSION_MS : SESSION_MS
}
