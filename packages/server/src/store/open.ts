import { existsSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { StartRefused, StorageUnavailable } from '../errors.ts'
import { Accounts } from './accounts.ts'
import { Addresses } from './addresses.ts'
import { Arrivals } from './arrivals.ts'
import { Attachments } from './attachments.ts'
import { Connections } from './connections.ts'
import { Deliveries } from './deliveries.ts'
import { Diagnostics } from './diagnostics.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { Dispatches } from './dispatches.ts'
import { Domains } from './domains.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { Inboxes } from './inboxes.ts'
import { Keys } from './keys.ts'
import { Mails } from './mails.ts'
import { Messages } from './messages.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { holdData, openSqlite } from './open-sqlite.ts'
import { OperatorQueries } from './operator.ts'
import { RateWindows } from './rate-windows.ts'
import { Scenarios } from './scenarios.ts'
import type { Schema } from './schema.ts'
import { SecretKeys } from './secret-keys.ts'
import { Usage } from './usage.ts'
import { WaitSlots } from './wait-slots.ts'
import { Webhooks } from './webhooks.ts'

/** Every table's queries; the same inside a transaction as outside. */
export type Tables = {
  readonly accounts: Accounts
  readonly keys: Keys
  readonly addresses: Addresses
  readonly connections: Connections
  readonly domains: Domains
  readonly inboxes: Inboxes
  readonly idempotencyKeys: IdempotencyKeys
  readonly arrivals: Arrivals
  readonly mails: Mails
  readonly messages: Messages
  readonly attachments: Attachments
  readonly diagnostics: Diagnostics
  readonly scenarios: Scenarios
  readonly usage: Usage
  readonly rateWindows: RateWindows
  readonly waitSlots: WaitSlots
  readonly operator: OperatorQueries
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly dispatches: Dispatches
  readonly secretKeys: SecretKeys
}

/** The storage of the service. */
export type Store = Tables & {
  /** Whether other nodes may run on the same store. */
  readonly isShared: boolean
  /** All of `work` or nothing of it. Inside, only `tx` may be used. */
  transaction<T>(work: (tx: Tables) => Promise<T>): Promise<T>
  /** Runs one statement as it is; for the operator's tools and tests. */
  execute(statement: string): Promise<void>
  /** Throws when the storage does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** How a store is opened. */
export type StoreOptions = {
  /** `sqlite:PATH` or `postgres://…` */
  readonly url: string
  /** Whether to refuse when another process runs on the same embedded store. */
  readonly exclusive: boolean
  /**
   * Whether the store must be there and of this version already: what runs beside the service
   * must not change its schema, nor make an empty store by a slip of the pen.
   */
  readonly existing?: boolean
  /** Most connections to PostgreSQL at a time. */
  readonly connectionsMax?: number
}

/** Opens the store and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const sqlitePath = sqlitePathOf(options.url)
  const held = options.exclusive && sqlitePath !== null ? holdData(sqlitePath) : null
  const dialect = sqlitePath === null ? postgresDialect : sqliteDialect
  const isMissing = sqlitePath !== null && !existsSync(sqlitePath)
  if (options.existing === true && isMissing) {
    throw new StartRefused(`There is no store at ${sqlitePath}. Check MAYFLY_DATABASE_URL.`)
  }
  let db: Kysely<Schema> | null = null
  try {
    db = sqlitePath === null ? await openServer(options) : openSqlite(sqlitePath)
    if (options.existing === true) await requireMigrated(db)
    else await migrate(db, dialect)
    return storeOver(db, dialect, () => held?.release())
  } catch (error) {
    await db?.destroy()
    held?.release()
    if (!(error instanceof StorageUnavailable)) throw error
    throw new StartRefused(`${error.message}. Check MAYFLY_DATABASE_URL.`)
  }
}

/** PostgreSQL's driver is loaded only where there is one. */
async function openServer(options: StoreOptions): Promise<Kysely<Schema>> {
  const { openPostgres } = await import('./open-postgres.ts')
  return openPostgres(options.url, options.connectionsMax ?? 10)
}

/** The file of a `sqlite:` URL; null for another database. */
export function sqlitePathOf(url: string): string | null {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null
}

function storeOver(db: Kysely<Schema>, dialect: Dialect, released: () => void): Store {
  return {
    ...tablesOver(db, dialect),
    isShared: dialect.isShared,
    transaction: (work) => db.transaction().execute((tx) => work(tablesOver(tx, dialect))),
    execute: async (statement) => {
      await sql.raw(statement).execute(db)
    },
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    close: async () => {
      await db.destroy()
      released()
    },
  }
}

function tablesOver(db: Kysely<Schema>, dialect: Dialect): Tables {
  return {
    accounts: new Accounts(db, dialect),
    keys: new Keys(db, dialect),
    addresses: new Addresses(db),
    connections: new Connections(db),
    domains: new Domains(db),
    inboxes: new Inboxes(db, dialect),
    idempotencyKeys: new IdempotencyKeys(db),
    arrivals: new Arrivals(db, dialect),
    mails: new Mails(db, dialect),
    messages: new Messages(db),
    attachments: new Attachments(db),
    diagnostics: new Diagnostics(db, dialect),
    scenarios: new Scenarios(db),
    usage: new Usage(db),
    rateWindows: new RateWindows(db),
    waitSlots: new WaitSlots(db),
    operator: new OperatorQueries(db, dialect),
    webhooks: new Webhooks(db),
    deliveries: new Deliveries(db, dialect),
    dispatches: new Dispatches(db, dialect),
    secretKeys: new SecretKeys(db),
  }
}
