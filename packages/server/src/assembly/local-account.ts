import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { ensureLocalAccount, type LocalAccountDeps, localKey } from '../features/accounts/local.ts'
import { OPERATOR_ACCOUNT } from '../features/receiving/operator-inbox.ts'
import type { Log } from '../platform/log.ts'
import { sqlitePathOf } from '../store/open.ts'

/**
 * Creates the local account at the first start on a loopback address. Returns the file with its
 * key, which the command line reads; null without a local account, and on PostgreSQL.
 */
export async function openLocalAccount(
  given: Omit<LocalAccountDeps, 'operatorAccount'> & { readonly config: Config; readonly log: Log },
): Promise<string | null> {
  const { config, log } = given
  const deps = { ...given, operatorAccount: OPERATOR_ACCOUNT }
  if (!isLoopbackHost(config.MAYFLY_HTTP_HOST)) return null
  if (!(await ensureLocalAccount(deps))) return null
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
