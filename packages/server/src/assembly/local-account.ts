import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AccountId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import { ensureLocalAccount, type LocalAccountDeps, localKey } from '../features/accounts/local.ts'
import { linkTo } from '../features/accounts/sign-in.ts'
import { LOCAL_ACCOUNT } from '../features/rules/own-ids.ts'
import { isLocalHost } from '../ip-address.ts'
import type { Log } from '../platform/log.ts'
import { ensureCatchAllInbox } from '../receiving/catch-all-inbox.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'

/** The account of the user of this machine. */
export type LocalAccount = {
  readonly accountId: AccountId
  /** The file with its key, which the command line reads; null on PostgreSQL. */
  readonly keyFile: string | null
  /** A link that opens the dashboard signed in to it, once. */
  readonly signInLink: (baseUrl: () => string) => Promise<string>
}

/** The mode of a file that only its owner may read. */
const OWNER_ONLY = 0o600

type LocalDeps = LocalAccountDeps & {
  readonly config: Config
  readonly log: Log
}

/** Creates the local account at the first start on a loopback address; null without one. */
export async function openLocalAccount(deps: LocalDeps): Promise<LocalAccount | null> {
  if (!isLocalHost(deps.config.MAYFLY_HTTP_HOST)) return null
  if (!(await ensureLocalAccount(deps))) return null
  return {
    accountId: LOCAL_ACCOUNT,
    keyFile: await writeKey(deps),
    signInLink: async (baseUrl) => (await linkTo({ ...deps, baseUrl }, LOCAL_ACCOUNT)).url,
  }
}

/**
 * Creates the catch-all inbox for mail without credentials; the account that has it, or null when
 * it is off. It accepts anything from anybody, so both listeners must be out of others' reach.
 */
export async function openCatchAll(
  deps: LocalDeps,
  local: LocalAccount | null,
): Promise<AccountId | null> {
  const { config, store } = deps
  if (!config.MAYFLY_CATCH_ALL) return null
  const hosts = [config.MAYFLY_HTTP_HOST, config.MAYFLY_SMTP_HOST]
  if (!hosts.every(isLocalHost)) {
    throw new StartRefused(
      'MAYFLY_CATCH_ALL=on needs MAYFLY_HTTP_HOST and MAYFLY_SMTP_HOST to be loopback addresses. Elsewhere, send with the SMTP credentials of a catch-all inbox.',
    )
  }
  if (local === null) {
    throw new StartRefused(
      'MAYFLY_CATCH_ALL=on needs the local account, which is created only by a first start with an empty database. Send with the SMTP credentials of a catch-all inbox, or start with another MAYFLY_DATABASE_URL.',
    )
  }
  const domain = config.MAYFLY_DOMAINS[0] ?? ''
  await ensureCatchAllInbox(deps, { owner: LOCAL_ACCOUNT, domain })
  // It stands for callers without a key.
  if ((await store.keys.list(LOCAL_ACCOUNT)).length === 0) {
    await localKey(deps, null)
  }
  return LOCAL_ACCOUNT
}

async function writeKey(deps: LocalDeps): Promise<string | null> {
  const { config, log } = deps
  const sqlitePath = sqlitePathOf(config.MAYFLY_DATABASE_URL)
  if (sqlitePath === null) return null
  const file = resolve(dirname(sqlitePath), 'local-key')
  try {
    const stored = await readFile(file, 'utf8').catch(() => null)
    const key = await localKey(deps, stored?.trim() ?? null)
    if (key === stored?.trim()) await chmod(file, OWNER_ONLY)
    else await replaceFile(file, `${key}\n`)
    return file
  } catch (error) {
    log.warn({ err: error, file }, 'the key of the local account could not be written')
    return null
  }
}

/** The mode counts only for a file that is created, and the old one may be readable by others. */
async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.new`
  await rm(draft, { force: true })
  await writeFile(draft, text, { mode: OWNER_ONLY, flag: 'wx' })
  await rename(draft, file)
}
