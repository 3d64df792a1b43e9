import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import { LOCAL_ACCOUNT, OPERATOR_ACCOUNT } from '../rules/own-ids.ts'
import { authenticate } from './authenticate.ts'
import { addKey, issueKey } from './keys.ts'

const EMAIL = 'local@mayfly.test'
const LOCAL_KEY = 'local'

export type LocalAccountDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
}

/** Creates the local account in a store without accounts; whether there is one now. */
export async function ensureLocalAccount(deps: LocalAccountDeps): Promise<boolean> {
  const { store, clock } = deps
  return store.transaction(async (tx) => {
    if ((await tx.accounts.find(LOCAL_ACCOUNT)) !== null) return true
    // Every store has that of the operator.
    if (await tx.accounts.hasOthers(OPERATOR_ACCOUNT)) return false
    const createdAt = clock.now()
    const account = { id: LOCAL_ACCOUNT, email: EMAIL, name: 'Local', plan: 'unlimited' } as const
    return tx.accounts.add({ ...account, createdAt })
  })
}

/** The name of the key that the operator chose. */
const INITIAL_KEY = 'MAYFLY_INITIAL_API_KEY'

/**
 * Adds a key with this secret to the local account, once; whether it is a key of the account now.
 * One that was revoked or rotated is never added again.
 */
export async function addInitialKey(deps: LocalAccountDeps, apiKey: string): Promise<boolean> {
  return deps.store.transaction(async (tx) => {
    await tx.accounts.lock(LOCAL_ACCOUNT)
    if (await isKeyOfLocalAccount({ ...deps, store: tx }, apiKey)) return true
    if (await tx.keys.hasHad(LOCAL_ACCOUNT, INITIAL_KEY)) return false
    const fields = { name: INITIAL_KEY, environment: 'live', role: 'admin' } as const
    await addKey({ ...deps, store: tx }, LOCAL_ACCOUNT, { ...fields, apiKey })
    return true
  })
}

/** The given key when it is one of the local account, else a new one that replaces it. */
export async function localKey(deps: LocalAccountDeps, given: string | null): Promise<string> {
  if (given !== null && (await isKeyOfLocalAccount(deps, given))) return given
  return deps.store.transaction(async (tx) => {
    await tx.accounts.lock(LOCAL_ACCOUNT)
    for (const key of await tx.keys.list(LOCAL_ACCOUNT, deps.clock.now())) {
      if (key.name === LOCAL_KEY) await tx.keys.revoke(LOCAL_ACCOUNT, key.id, deps.clock.now())
    }
    const fields = { name: LOCAL_KEY, environment: 'live', role: 'admin' } as const
    return (await issueKey({ ...deps, store: tx }, LOCAL_ACCOUNT, fields)).apiKey
  })
}

async function isKeyOfLocalAccount(
  deps: { readonly store: Tables; readonly clock: Clock },
  secret: string,
): Promise<boolean> {
  try {
    const findCredentials = (prefix: string) => deps.store.keys.findCredentials(prefix)
    return (
      (await authenticate({ ...deps, findCredentials, cell: null }, secret)).accountId ===
      LOCAL_ACCOUNT
    )
  } catch {
    return false
  }
}
