import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AccountId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import {
  addInitialKey,
  ensureLocalAccount,
  type LocalAccountDeps,
  localKey,
} from '../features/accounts/local.ts'
import { linkTo } from '../features/accounts/sign-in.ts'
import { cellOfKey } from '../features/rules/cell.ts'
import { LOCAL_ACCOUNT } from '../features/rules/own-ids.ts'
import { isLocalHost } from '../ip-address.ts'
import type { Log } from '../platform/log.ts'
import { ensureCatchAllInbox, ensureInitialInbox } from '../receiving/catch-all-inbox.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'

/** The account of the user of this machine. */
export type LocalAccount = {
  readonly accountId: AccountId
  /** The file with its key, which the command line reads; null on PostgreSQL. */
  readonly keyFile: string | null
  /** Whether link checks and webhooks of this account may reach private addresses. */
  readonly reachesPrivate: boolean
  /** A link that opens the dashboard signed in to it, once; null where others could read it. */
  readonly signInLink: (baseUrl: () => string) => Promise<string | null>
}

/** The mode of a file that only its owner may read. */
const OWNER_ONLY = 0o600

type LocalDeps = LocalAccountDeps & {
  readonly config: Config
  readonly log: Log
}

/**
 * Creates the local account at the first start on a loopback address, or where a setting asks for
 * it; null without one.
 */
export async function openLocalAccount(deps: LocalDeps): Promise<LocalAccount | null> {
  const { config } = deps
  const isLocal = isLocalHost(config.MAYFLY_HTTP_HOST)
  const reachesPrivate = isLocal || config.MAYFLY_CATCH_ALL === 'open'
  const given = config.MAYFLY_INITIAL_API_KEY
  if (!reachesPrivate && given === null) return null
  if (!(await ensureLocalAccount(deps))) {
    if (given !== null) throw refusedKey('the database already has accounts')
    return null
  }
  const cell = given === null ? null : cellOfKey(given)
  if (cell !== null && cell !== config.MAYFLY_CELL) {
    throw refusedKey(`it names the cell "${cell}", which is not MAYFLY_CELL`)
  }
  if (given !== null && !(await addInitialKey(deps, given))) {
    throw refusedKey('an earlier start had another value, or the key was rotated or revoked')
  }
  const link = async (baseUrl: () => string) =>
    (await linkTo({ ...deps, baseUrl }, LOCAL_ACCOUNT)).url
  return {
    accountId: LOCAL_ACCOUNT,
    keyFile: await writeKey(deps),
    reachesPrivate,
    signInLink: async (baseUrl) => (isLocal ? link(baseUrl) : null),
  }
}

function refusedKey(reason: string): StartRefused {
  return new StartRefused(
    `MAYFLY_INITIAL_API_KEY cannot be used: ${reason}. Set the value of the first start, unset it and use an existing key, or start with an empty MAYFLY_DATABASE_URL.`,
  )
}

/**
 * Creates the catch-all inbox for mail without credentials; the account that has it, or null when
 * it is off. It accepts anything from anybody, so both listeners must be out of others' reach,
 * unless the operator has said that it is open.
 */
export async function openCatchAll(
  deps: LocalDeps,
  local: LocalAccount | null,
): Promise<AccountId | null> {
  const { config, store } = deps
  if (config.MAYFLY_CATCH_ALL === 'off') return null
  const hosts = [config.MAYFLY_HTTP_HOST, config.MAYFLY_SMTP_HOST]
  if (config.MAYFLY_CATCH_ALL === 'on' && !hosts.every(isLocalHost)) {
    throw new StartRefused(
      'MAYFLY_CATCH_ALL=on needs MAYFLY_HTTP_HOST and MAYFLY_SMTP_HOST to be loopback addresses. In a container or on a private network, MAYFLY_CATCH_ALL=open lets anyone who reaches the ports read and send; elsewhere, send with the SMTP credentials of a catch-all inbox.',
    )
  }
  if (local === null) throw withoutLocalAccount(`MAYFLY_CATCH_ALL=${config.MAYFLY_CATCH_ALL}`)
  await ensureCatchAllInbox(deps, { owner: LOCAL_ACCOUNT, domain: firstDomain(config) })
  // It stands for callers without a key.
  if ((await store.keys.list(LOCAL_ACCOUNT, deps.clock.now())).length === 0) {
    await localKey(deps, null)
  }
  return LOCAL_ACCOUNT
}

/** Creates the catch-all inbox that a setting names. */
export async function openInitialInbox(deps: LocalDeps, local: LocalAccount | null): Promise<void> {
  const { config } = deps
  const localPart = config.MAYFLY_INITIAL_INBOX
  if (localPart === null) return
  if (local === null) throw withoutLocalAccount('MAYFLY_INITIAL_INBOX')
  const address = `${localPart}@${firstDomain(config)}`
  if (!(await ensureInitialInbox(deps, { owner: LOCAL_ACCOUNT, address }))) {
    throw new StartRefused(
      `MAYFLY_INITIAL_INBOX cannot be created: ${address} belongs to another inbox. Choose another name.`,
    )
  }
}

function withoutLocalAccount(setting: string): StartRefused {
  return new StartRefused(
    `${setting} needs the local account, which is created only by a first start with an empty database, on a loopback address, with MAYFLY_CATCH_ALL=open or with MAYFLY_INITIAL_API_KEY. Send with the SMTP credentials of a catch-all inbox, or start with another MAYFLY_DATABASE_URL.`,
  )
}

function firstDomain(config: Config): string {
  return config.MAYFLY_DOMAINS[0] ?? ''
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
