import type { Plan } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { OperatorRefused } from '../errors.ts'
import { type IssuedKey, issueKey } from '../features/accounts/keys.ts'
import {
  disconnect,
  giveKey,
  listAccounts,
  type OperatorAccountDeps,
  revokeKeys,
  setPlan,
} from '../features/operator/accounts.ts'
import { type Purged, purge } from '../features/operator/purge.ts'
import { resume, suspend } from '../features/operator/suspension.ts'
import { getTarget, type Target } from '../features/operator/target.ts'
import { OPERATOR_ACCOUNT } from '../features/receiving/operator-inbox.ts'
import { systemClock } from '../platform/clock.ts'
import { createIds } from '../platform/ids.ts'
import { openStore } from '../store/open.ts'
import { type Backup, backUpSqlite } from '../store/sqlite/backup.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import type { AccountEntry, AccountSummary } from '../store/tables/operator.ts'

/** The operator's commands on the configured store; a service may run on it at the same time. */
export type Operator = AsyncDisposable & {
  listAccounts(filter: { emailContains: string; limit: number }): Promise<AccountSummary[]>
  setPlan(email: string, plan: Plan): Promise<AccountEntry>
  /** Finds an account by id or email, or an inbox by id or address. */
  getTarget(text: string): Promise<Target>
  suspend(text: string, reason: string): Promise<Target>
  resume(text: string): Promise<Target>
  revokeKeys(email: string): Promise<{ account: AccountEntry; revoked: number }>
  giveKey(email: string): Promise<{ account: AccountEntry } & IssuedKey>
  disconnect(email: string): Promise<AccountEntry>
  purge(text: string): Promise<Purged>
  /** Milliseconds since 1970 by the store's own clock. */
  databaseTime(): Promise<number>
}

/** Opens the configured store for the operator; it must exist and be up to date. */
export async function openOperator(config: Config): Promise<Operator> {
  const clock = systemClock
  const ids = createIds(clock)
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: false,
    existing: true,
    connectionsMax: 1,
  })
  const accounts: OperatorAccountDeps = {
    store,
    clock,
    issueKey: (tx, accountId, fields) => issueKey({ store: tx, clock, ids }, accountId, fields),
  }
  const deps = { store, clock, ids, operatorAccount: OPERATOR_ACCOUNT }
  return {
    listAccounts: (filter) => listAccounts(accounts, filter),
    setPlan: (email, plan) => setPlan(accounts, email, plan),
    getTarget: (text) => getTarget(store, text),
    suspend: (text, reason) => suspend(deps, text, reason),
    resume: (text) => resume(deps, text),
    revokeKeys: (email) => revokeKeys(accounts, email),
    giveKey: (email) => giveKey(accounts, email),
    disconnect: (email) => disconnect(accounts, email),
    purge: (text) => purge(deps, text),
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
