import { type Kysely, sql } from 'kysely'
import { StartRefused, StorageUnavailable } from '../errors.ts'
import type { ColumnTypes, Dialect } from './dialect.ts'
import { initial } from './migrations/0001-initial.ts'
import type { Schema } from './schema.ts'

/** The statements that make the next schema of the one before. */
export type Migration = (types: ColumnTypes) => readonly string[]

/** All migrations; the number of each is its position, from 1. A released one is never edited. */
export const MIGRATIONS: readonly Migration[] = [initial]

/**
 * Brings the schema up to date, in one transaction under a lock: when several nodes start at the
 * same time, one migrates and the others wait.
 */
export async function migrate(
  db: Kysely<Schema>,
  dialect: Dialect,
  migrations: readonly Migration[],
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
    if (applied > migrations.length) {
      throw new StartRefused(
        `The database is from a newer Mayfly (schema ${applied}, this one supports ${migrations.length}). Start the newer version.`,
      )
    }
    for (const [index, statements] of migrations.entries()) {
      const number = index + 1
      if (number <= applied) continue
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
    `The database has schema ${applied}, this version supports ${MIGRATIONS.length}. ${remedy}`,
  )
}

async function newestMigration(db: Kysely<Schema>): Promise<number> {
  const newest = await sql<{ number: number | null }>`
    select max(number) as number from migration`.execute(db)
  return newest.rows[0]?.number ?? 0
}

/** PostgreSQL's codes for a lock that was not to be had in time, and for a deadlock. */
const LOCK_FAILURES: readonly unknown[] = ['55P03', '40P01']

/** Whether locks of other sessions were the cause, so that another try may succeed. */
export function isLockFailure(error: unknown): boolean {
  const cause = error instanceof StorageUnavailable ? error.cause : null
  return cause instanceof Error && 'code' in cause && LOCK_FAILURES.includes(cause.code)
}
