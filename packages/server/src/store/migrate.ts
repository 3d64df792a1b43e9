import { type Kysely, sql } from 'kysely'
import { StartRefused, StorageUnavailable } from '../errors.ts'
import type { Dialect } from './dialect.ts'
import { initial } from './migrations/0001-initial.ts'
import { manyAccounts } from './migrations/0002-many-accounts.ts'
import { webhooks } from './migrations/0003-webhooks.ts'
import { refusalCodes } from './migrations/0004-refusal-codes.ts'
import { floodWindows } from './migrations/0005-flood-windows.ts'
import { signInLinks } from './migrations/0006-sign-in-links.ts'
import { senderVerdicts } from './migrations/0007-sender-verdicts.ts'
import { retention } from './migrations/0008-retention.ts'
import { readFlags } from './migrations/0009-read-flags.ts'
import { accountStreams } from './migrations/0010-account-streams.ts'
import { inboxLists } from './migrations/0011-inbox-lists.ts'
import { faults } from './migrations/0012-faults.ts'
import { projectInboxes } from './migrations/0013-project-inboxes.ts'
import { rateSlots } from './migrations/0014-rate-slots.ts'
import { messageSenders } from './migrations/0015-message-senders.ts'
import { search } from './migrations/0016-search.ts'
import { textInRaw } from './migrations/0017-text-in-raw.ts'
import { mailPartitions } from './migrations/0018-mail-partitions.ts'
import { floodParts } from './migrations/0019-flood-parts.ts'
import { spool } from './migrations/0020-spool.ts'
import { spoolBeyond } from './migrations/0021-spool-beyond.ts'
import { spooledMails } from './migrations/0022-spooled-mails.ts'
import type { Schema } from './schema.ts'

/** All migrations; the number of each is its position, from 1. A released one is never edited. */
const MIGRATIONS = [
  initial,
  manyAccounts,
  webhooks,
  refusalCodes,
  floodWindows,
  signInLinks,
  senderVerdicts,
  retention,
  readFlags,
  accountStreams,
  inboxLists,
  faults,
  projectInboxes,
  rateSlots,
  messageSenders,
  search,
  textInRaw,
  mailPartitions,
  floodParts,
  spool,
  spoolBeyond,
  spooledMails,
] as const

/**
 * Brings the schema up to date, in one transaction under a lock: when several nodes start at the
 * same time, one migrates and the others wait.
 */
export async function migrate(
  db: Kysely<Schema>,
  dialect: Dialect,
  upTo: number = MIGRATIONS.length,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await dialect.lockMigrations(tx)
    await sql
      .raw(
        `create table if not exists migration (
          number ${dialect.types.integer} primary key, applied_at text not null)`,
      )
      .execute(tx)
    const applied = await newestMigration(tx)
    if (applied > MIGRATIONS.length) {
      throw new StartRefused(
        `The database is from a newer Mayfly (schema ${applied}, this one knows ${MIGRATIONS.length}). Start the newer version.`,
      )
    }
    for (const [index, statements] of MIGRATIONS.entries()) {
      const number = index + 1
      if (number <= applied || number > upTo) continue
      for (const statement of statements(dialect.types)) await sql.raw(statement).execute(tx)
      await sql`insert into migration (number, applied_at)
        values (${number}, ${sql.raw(dialect.currentTimestamp)})`.execute(tx)
    }
  })
}

/** Throws unless the schema is that of this version. */
export async function requireMigrated(db: Kysely<Schema>): Promise<void> {
  const applied = await newestMigration(db).catch((error: unknown) => {
    if (error instanceof StorageUnavailable) throw error
    // The table of migrations does not exist yet.
    return 0
  })
  if (applied === MIGRATIONS.length) return
  const remedy =
    applied > MIGRATIONS.length
      ? 'Use the newer version.'
      : 'Start this version of the service once.'
  throw new StartRefused(
    `The database has schema ${applied}, this version knows ${MIGRATIONS.length}. ${remedy}`,
  )
}

async function newestMigration(db: Kysely<Schema>): Promise<number> {
  const newest = await sql<{ number: number | null }>`
    select max(number) as number from migration`.execute(db)
  return newest.rows[0]?.number ?? 0
}

/** PostgreSQL's codes for a lock that was not to be had in time, and for a deadlock. */
const LOCK_FAILURES: readonly unknown[] = ['55P03', '40P01']

/** Whether somebody else's locks were in the way, so that another try may succeed. */
export function isLockFailure(error: unknown): boolean {
  const cause = error instanceof StorageUnavailable ? error.cause : null
  return cause instanceof Error && 'code' in cause && LOCK_FAILURES.includes(cause.code)
}
