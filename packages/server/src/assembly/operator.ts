import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId } from '@mayfly/contract'
import { bindAll } from '../app/bind.ts'
import { openSecretBox } from '../app/webhook-secrets.ts'
import type { Config } from '../config/config.ts'
import { OperatorRefused } from '../errors.ts'
import { issueKey, type NewKeyFields } from '../features/accounts/keys.ts'
import {
  disconnect,
  giveKey,
  listAccounts,
  revokeKeys,
  setPlan,
} from '../features/operator/accounts.ts'
import { exportAccount } from '../features/operator/export-account.ts'
import { importAccount } from '../features/operator/import-account.ts'
import { purge } from '../features/operator/purge.ts'
import { resume, suspend } from '../features/operator/suspension.ts'
import { getTarget } from '../features/operator/target.ts'
import { DAY_MS } from '../mail-id.ts'
import { systemClock } from '../platform/clock.ts'
import { createIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import type { Tables } from '../store/all-tables.ts'
import { MIGRATIONS } from '../store/migrate.ts'
import { openStore } from '../store/open.ts'
import { type Backup, backUpSqlite } from '../store/sqlite/backup.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'

/** The operator's commands on the configured store; a service may run on it at the same time. */
export type Operator = Awaited<ReturnType<typeof openOperator>>

/** Opens the configured store for the operator; it must exist and be up to date. */
export async function openOperator(config: Config) {
  const clock = systemClock
  const ids = createIds(clock, config.MAYFLY_CELL)
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: false,
    existing: true,
    connectionsMax: 1,
  })
  const world = {
    ...{ store, clock, ids, cell: config.MAYFLY_CELL, schema: MIGRATIONS.length },
    secretBox: () => openSecretBox({ config, store, clock, log: createLog('silent') }),
    pause: (ms: number) => delay(ms),
    issueKey: (tx: Tables, accountId: AccountId, fields: NewKeyFields) =>
      issueKey({ store: tx, clock, ids }, accountId, fields),
  }
  return {
    ...bindAll(world, { listAccounts, setPlan, revokeKeys, giveKey, disconnect }),
    ...bindAll(world, { suspend, resume, purge, exportAccount, importAccount }),
    /** Finds an account by id or email, or an inbox by id or address. */
    getTarget: (text: string) => getTarget(store, text),
    /** The size of the store, and the messages of the last day. */
    overview: async () => {
      const now = await store.operator.databaseTime()
      const { oldestRetryAt, ...counts } = await store.operator.overview(
        ids.at('message', now - DAY_MS),
      )
      return { ...counts, oldestRetryMs: oldestRetryAt === null ? null : now - oldestRetryAt }
    },
    /** Milliseconds since 1970 by the store's own clock. */
    databaseTime: () => store.operator.databaseTime(),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** Copies the configured SQLite store into a new file; a service may run on it meanwhile. */
export function backUp(config: Config, target: string): Backup {
  const source = sqlitePathOf(config.MAYFLY_DATABASE_URL)
  if (source === null) {
    throw new OperatorRefused(
      'The database is PostgreSQL: back it up with its own tools, such as pg_dump.',
    )
  }
  return backUpSqlite(source, target)
}
