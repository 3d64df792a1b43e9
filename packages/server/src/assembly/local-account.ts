import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AccountId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import {
  ensureLocalAccount,
  LOCAL_ACCOUNT,
  type LocalAccountDeps,
  localKey,
} from '../features/accounts/local.ts'
import { linkTo } from '../features/accounts/sign-in.ts'
import { ensureCatchAllInbox } from '../features/receiving/catch-all-inbox.ts'
import { OPERATOR_ACCOUNT } from '../features/receiving/operator-inbox.ts'
import type { Log } from '../platform/log.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'

/** The account of the user of this machine. */
export type LocalAccount = {
  readonly accountId: AccountId
  /** The file with its key, which the command line reads; null on PostgreSQL. */
  readonly keyFile: string | null
  /** A link that opens the dashboard signed in to it, once. */
  readonly signInLink: (baseUrl: () => string) => Promise<string>
}

type LocalDeps = Omit<LocalAccountDeps, 'operatorAccount'> & {
  readonly config: Config
  readonly log: Log
}

/** Creates the local account at the first start on a loopback address; null without one. */
export async function openLocalAccount(given: LocalDeps): Promise<LocalAccount | null> {
  const deps = { ...given, operatorAccount: OPERATOR_ACCOUNT }
  if (!isLoopbackHost(given.config.MAYFLY_HTTP_HOST)) return null
  if (!(await ensureLocalAccount(deps))) return null
  return {
    accountId: LOCAL_ACCOUNT,
    keyFile: await writeKey(deps),
    signInLink: async (baseUrl) => (await linkTo({ ...given, baseUrl }, LOCAL_ACCOUNT)).url,
  }
}

/**
 * Creates the project inbox for mail without credentials; the account that has it, or null when it
 * is off. It accepts anything from anybody, so both listeners must be out of others' reach.
 */
export async function openCatchAll(
  { config, store, clock, ids }: LocalDeps,
  local: LocalAccount | null,
): Promise<AccountId | null> {
  if (!config.MAYFLY_CATCH_ALL) return null
  const hosts = [config.MAYFLY_HTTP_HOST, config.MAYFLY_SMTP_HOST]
  if (!hosts.every(isLoopbackHost)) {
    throw new StartRefused(
      'MAYFLY_CATCH_ALL=on needs MAYFLY_HTTP_HOST and MAYFLY_SMTP_HOST to be loopback addresses. Elsewhere, send with the SMTP credentials of a project inbox.',
    )
  }
  if (local === null) {
    throw new StartRefused(
      'MAYFLY_CATCH_ALL=on needs the local account, which is created only by a first start with an empty database. Send with the SMTP credentials of a project inbox, or start with another MAYFLY_DATABASE_URL.',
    )
  }
  const domain = config.MAYFLY_DOMAINS[0] ?? ''
  await ensureCatchAllInbox(
    { store, clock, newLocalPart: () => ids.localPart() },
    { owner: LOCAL_ACCOUNT, domain },
  )
  // It stands for callers without a key.
  if ((await store.keys.list(LOCAL_ACCOUNT)).length === 0) {
    await localKey({ store, clock, ids, operatorAccount: OPERATOR_ACCOUNT }, null)
  }
  return LOCAL_ACCOUNT
}

async function writeKey(deps: LocalDeps & LocalAccountDeps): Promise<string | null> {
  const { config, log } = deps
  const sqlitePath = sqlitePathOf(config.MAYFLY_DATABASE_URL)
  if (sqlitePath === null) return null
  const file = resolve(dirname(sqlitePath), 'local-key')
  try {
    const stored = await readFile(file, 'utf8').catch(() => null)
    const key = await localKey(deps, stored?.trim() ?? null)
    if (key !== stored?.trim()) {
      await writeFile(file, `${key}\n`, { mode: 0o600 })
    }
    return file
  } catch (error) {
    log.warn({ err: error, file }, 'the key of the local account could not be written')
    return null
  }
}

/** Whether a listener on this address can be reached from this machine alone. */
function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
