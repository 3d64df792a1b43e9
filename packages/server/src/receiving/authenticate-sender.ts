import { type AccountId, ID_PREFIXES, type InboxId, type KeyId } from '@mayfly/contract'
import { inboxAddress } from '@mayfly/mail'
import { BAD_CREDENTIALS_REPLY } from '@mayfly/smtp'
import { ServiceError } from '../errors.ts'
import type { RefusalLog } from '../features/diagnostics/refusal-log.ts'
import type { Attempt } from '../features/faults/inject.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tables } from '../store/all-tables.ts'
import type { Recipient } from '../store/tables/receiving.ts'
import type { CatchAll } from './admit.ts'

export type AuthenticateSenderDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Finds the account of an API key, or throws. */
  readonly authenticate: (secret: string) => Promise<OwnKey>
  readonly refusals: RefusalLog
  /** The domain of an inbox that credentials name by its local part alone. */
  readonly defaultDomain: string
  /**
   * Which other credentials are accepted, too; they then have no effect. `foreign`: those of an
   * application that logs in somewhere else, and of no inbox or key.
   */
  readonly accepts: 'own' | 'foreign' | 'any'
  /** The catch-all inbox for mail without credentials, or with those that have no effect. */
  readonly catchAll: CatchAll | null
  /** The reply with which the fault rules of an inbox refuse right credentials, or null. */
  readonly injectFault: (attempt: Attempt) => Promise<string | null>
}

/** The key with which a sender has authenticated; its prefix changes when it is rotated. */
type SenderKey = { readonly keyId: KeyId; readonly keyPrefix: string }

type OwnKey = SenderKey & { readonly accountId: AccountId }

/** The verdict on credentials; the identity is null for those that have no effect. */
export type AuthenticateSenderResult =
  | { readonly state: 'accepted'; readonly identity: string | null }
  | { readonly state: 'refused' | 'unavailable' }
  | { readonly state: 'fault'; readonly reply: string }

/** The beginning of every API key. */
const KEY_PREFIX = 'mf_'

/** Longest user name that is looked up: the longest address. */
const USERNAME_LENGTH_MAX = 320

/**
 * Checks the credentials of SMTP AUTH: the id, address or local part of a catch-all inbox, and a
 * key of its account. The reason of a refusal is recorded in the diagnostics of the inbox, and not
 * sent to the client.
 */
export async function authenticateSender(
  deps: AuthenticateSenderDeps,
  credentials: { readonly username: string; readonly password: string },
  client: { readonly remoteAddress: string },
): Promise<AuthenticateSenderResult> {
  const inbox = await findNamedInbox(deps, credentials.username)
  // Also without an inbox: the duration must not reveal which inboxes exist.
  const { key, elsewhere } = await findKey(deps, credentials.password)
  if (elsewhere?.code === 'account_moving') return { state: 'unavailable' }
  if (elsewhere !== null && deps.accepts !== 'any') {
    return { state: 'fault', reply: `535 5.7.8 ${elsewhere.message}` }
  }
  const isOwn = inbox !== null && key !== null && key.accountId === inbox.accountId
  if (isOwn && inbox.keepMessages !== null) {
    return accept(deps, client, { inbox, identity: writeIdentity(inbox.inboxId, key) })
  }
  const isForeign = inbox === null && !looksLikeOwn(credentials)
  if (deps.accepts === 'any' || (deps.accepts === 'foreign' && isForeign)) {
    return accept(deps, client, { inbox: (await deps.catchAll?.find()) ?? null, identity: null })
  }
  if (inbox === null) deps.refusals.addUnknownLogin(credentials.username, BAD_CREDENTIALS_REPLY)
  else {
    await deps.refusals.addRejectedMail({
      inboxIds: [inbox.inboxId],
      reply: BAD_CREDENTIALS_REPLY,
      reason: { code: isOwn ? 'no_catch_all_inbox' : 'wrong_password' },
      sender: { mailFrom: '', remoteAddress: client.remoteAddress },
    })
  }
  return { state: 'refused' }
}

function looksLikeOwn({ username, password }: { username: string; password: string }): boolean {
  return username.startsWith(ID_PREFIXES.inbox) || password.startsWith(KEY_PREFIX)
}

/** Accepts credentials unless a fault rule of the inbox that they lead to refuses them. */
async function accept(
  deps: AuthenticateSenderDeps,
  { remoteAddress }: { readonly remoteAddress: string },
  { inbox, identity }: { readonly inbox: Recipient | null; readonly identity: string | null },
): Promise<AuthenticateSenderResult> {
  const reply =
    inbox === null || inbox.faultsUntil <= deps.clock.now()
      ? null
      : await deps.injectFault({
          inboxId: inbox.inboxId,
          phases: ['authentication'],
          sender: { mailFrom: null, remoteAddress },
        })
  return reply === null ? { state: 'accepted', identity } : { state: 'fault', reply }
}

/**
 * The catch-all inbox of an identity; null when it was deleted, or when the key is no longer valid:
 * a session may last for minutes after its AUTH.
 */
export async function findSenderInbox(
  deps: { readonly store: Tables; readonly clock: Clock },
  identity: string,
): Promise<Recipient | null> {
  const { inboxId, keyId, keyPrefix } = readIdentity(identity)
  const active = (await deps.store.keys.findActive([keyId], deps.clock.now())).get(keyId)
  if (active?.prefix !== keyPrefix) return null
  return deps.store.receiving.findInbox(inboxId)
}

async function findNamedInbox(
  { store, defaultDomain }: AuthenticateSenderDeps,
  username: string,
): Promise<Recipient | null> {
  if (username.length > USERNAME_LENGTH_MAX) return null
  if (username.startsWith(ID_PREFIXES.inbox)) return store.receiving.findInbox(username)
  const address = inboxAddress(username.includes('@') ? username : `${username}@${defaultDomain}`)
  return address === null ? null : store.receiving.findRecipient(address)
}

/** The key with this secret, or why it is that of another cell, now or soon. */
async function findKey(
  deps: AuthenticateSenderDeps,
  secret: string,
): Promise<{ readonly key: OwnKey | null; readonly elsewhere: ServiceError | null }> {
  try {
    return { key: await deps.authenticate(secret), elsewhere: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const isElsewhere = error.code === 'wrong_cell' || error.code === 'account_moving'
    return { key: null, elsewhere: isElsewhere ? error : null }
  }
}

function writeIdentity(inboxId: InboxId, { keyId, keyPrefix }: SenderKey): string {
  return `${inboxId} ${keyId} ${keyPrefix}`
}

function readIdentity(identity: string): SenderKey & { readonly inboxId: string } {
  const [inboxId = '', keyId = '', keyPrefix = ''] = identity.split(' ')
  // Written by `writeIdentity`.
  return { inboxId, keyId: keyId as KeyId, keyPrefix }
}
