// Makes the partitions of the days on which mails will be purged, and drops those of past days.
//
// A partition is dropped when its day is over and no message refers to its mails any more: no
// readable mail is dropped, whatever happened to inboxes and plans meanwhile. Mails whose inbox is
// kept longer than was planned when they arrived are copied to a later day.
//
// Each step is a transaction of its own, which one node at a time runs, and which waits for locks
// only shortly: every other session queues up behind a waiting lock. A process that ends between
// two steps leaves partitions without some of their tables, or tables of past days that are no
// partitions any more; the next run finds both by their names.

import type { Plan } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import { StorageUnavailable } from '../../errors.ts'
import { dayOf, mailIdStart, withPurgeDay } from '../../mail-id.ts'
import type { Schema } from '../schema.ts'
import { MAIL_TABLES, partitionStatements } from './mail-tables.ts'

/** The facts that decide which partitions are needed. */
export type Retention = {
  readonly now: number
  /** Days from the expiry of an inbox to its purge, of every plan. */
  readonly retentionDays: readonly number[]
  readonly keptUntil: (inbox: { readonly expiresAt: number; readonly plan: Plan }) => number
}

/** Days until an inbox expires, at most. */
const TTL_DAYS_MAX = 7

/** Days for which partitions are made before they are needed. */
const DAYS_AHEAD = 2

/** How long a step waits for a lock, while others queue up behind it. */
const LOCK_TIMEOUT = '200ms'

/** The key of our advisory lock; any number that others do not use. */
const PARTITIONS_LOCK = 6_292_360

/** Mails that are deleted by one statement. */
const DELETED_BATCH = 50

/** Mails that are copied in one transaction, and in one run. */
const COPIED_BATCH = 50
const COPIED_MAX = 2_000

/** Makes the partitions that are missing; true when all are there. */
export async function makePartitions(
  db: Kysely<Schema>,
  { now, retentionDays }: Omit<Retention, 'keptUntil'>,
): Promise<boolean> {
  const today = dayOf(now)
  const existing = new Set((await listTables(db)).map(({ day }) => day))
  const needed = new Set(
    retentionDays.flatMap((days) =>
      Array.from({ length: TTL_DAYS_MAX + 1 + DAYS_AHEAD }, (_, i) => today + days + i),
    ),
  )
  let areAllThere = true
  for (const day of needed) {
    if (existing.has(day)) continue
    if (await hasOthers(db, day)) {
      areAllThere = false
      continue
    }
    const isMade = await step(db, async (tx) => {
      if ((await listTables(tx)).some((table) => table.day === day)) return
      const statements = MAIL_TABLES.toReversed().flatMap((table) =>
        partitionStatements(table, `d${day}`),
      )
      // All in one call, because each would be a round trip.
      await sql.raw(statements.join(';')).execute(tx)
    })
    areAllThere &&= isMade
  }
  return areAllThere
}

/**
 * Whether `T_other` has mails of a day, which cannot get a partition any more. Queried without the
 * locks of an attempt, for which every transaction that stores a mail would wait in each sweep.
 */
async function hasOthers(db: Kysely<Schema>, day: number): Promise<boolean> {
  const { rows } = await sql`select 1 from mail_other
    where id >= ${mailIdStart(day)} and id < ${mailIdStart(day + 1)} limit 1`.execute(db)
  return rows.length > 0
}

/** Drops the partitions of past days to whose mails no message refers. */
export async function dropPartitions(db: Kysely<Schema>, retention: Retention): Promise<void> {
  const today = dayOf(retention.now)
  const tables = (await listTables(db)).filter(({ day }) => day < today)
  let copiesLeft = COPIED_MAX
  for (const day of new Set(tables.map((table) => table.day))) {
    const copied = await copyReferred(db, retention, { day, limit: copiesLeft })
    copiesLeft -= copied
    // Copied mails are dropped in the next run: a reader may have just got the old ids.
    if (copied > 0 || (await hasReferred(db, day))) continue
    // In this order no foreign key refers to a table that is dropped.
    for (const { name } of MAIL_TABLES) {
      const table = tables.find((one) => one.day === day && one.name === name)
      if (table !== undefined && !(await dropTable(db, table))) break
    }
  }
  await deleteOthers(db, today)
}

/** Deletes mails of past days that have no partition, and to which no message refers. */
async function deleteOthers(db: Kysely<Schema>, today: number): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from mail_other where id in (
      select id from mail_other where id < ${mailIdStart(today)}
        and not exists (select 1 from message where message.mail_id = mail_other.id)
      order by id limit ${DELETED_BATCH})`.execute(db)
    if (numAffectedRows < BigInt(DELETED_BATCH)) return
  }
}

type DayTable = { readonly name: string; readonly day: number; readonly isAttached: boolean }

/** The tables of days, partitions or not. */
async function listTables(db: Kysely<Schema>): Promise<DayTable[]> {
  const { rows } = await sql<{ table: string; isAttached: boolean }>`
    select relname as "table", relispartition as "isAttached" from pg_class
    where relkind = 'r' and relname ~ '_d[0-9]{5}$'
      and relnamespace = (select relnamespace from pg_class where oid = to_regclass('mail'))
    order by relname`.execute(db)
  return rows.flatMap(({ table, isAttached }) => {
    const name = table.slice(0, -'_d00000'.length)
    const isOurs = MAIL_TABLES.some((one) => one.name === name)
    return isOurs ? [{ name, day: Number(table.slice(-5)), isAttached }] : []
  })
}

/** Detached first, which is quick: dropping takes as long as its files are large. */
async function dropTable(db: Kysely<Schema>, { name, day }: DayTable): Promise<boolean> {
  const partition = `${name}_d${day}`
  const isDetached = await step(db, async (tx) => {
    const tables = await listTables(tx)
    const table = tables.find((one) => one.name === name && one.day === day)
    if (table?.isAttached !== true) return
    await sql.raw(`alter table ${name} detach partition ${partition}`).execute(tx)
  })
  if (!isDetached) return false
  return step(db, async (tx) => {
    await sql.raw(`drop table if exists ${partition}`).execute(tx)
  })
}

async function hasReferred(db: Kysely<Schema>, day: number): Promise<boolean> {
  const { rows } = await sql`select 1 from message
    where mail_id >= ${mailIdStart(day)} and mail_id < ${mailIdStart(day + 1)} limit 1`.execute(db)
  return rows.length > 0
}

/** Copies mails whose inboxes are kept longer to the days of these; returns how many. */
async function copyReferred(
  db: Kysely<Schema>,
  retention: Retention,
  { day, limit }: { readonly day: number; readonly limit: number },
): Promise<number> {
  let copied = 0
  while (copied < limit) {
    let count = 0
    const isDone = await step(db, async (tx) => {
      count = await copyBatch(tx, retention, day)
    })
    copied += count
    if (!isDone || count < COPIED_BATCH) break
  }
  return copied
}

/** The inboxes are locked, so that none is purged meanwhile. The mails stay where they were. */
async function copyBatch(
  tx: Kysely<Schema>,
  { now, keptUntil }: Retention,
  day: number,
): Promise<number> {
  const { rows } = await sql<{ id: string; mailId: string; expiresAt: number; plan: Plan }>`
    select message.id, message.mail_id as "mailId", inbox.expires_at as "expiresAt", account.plan
    from message join inbox on inbox.id = message.inbox_id
      join account on account.id = inbox.account_id
    where message.mail_id >= ${mailIdStart(day)} and message.mail_id < ${mailIdStart(day + 1)}
    limit ${COPIED_BATCH} for no key update of message, inbox skip locked`.execute(tx)
  for (const message of rows) {
    // An inbox that is due is purged by the next sweep, with its mails.
    const later = Math.max(dayOf(keptUntil(message)), dayOf(now) + 1)
    const to = withPurgeDay(message.mailId, later)
    await copyMail(tx, message.mailId, to)
    await sql`update message set mail_id = ${to} where id = ${message.id}`.execute(tx)
  }
  return rows.length
}

/**
 * Another message may have copied the mail before. If that one is deleted meanwhile, its copy is
 * either locked by then, or deleted and made again.
 */
async function copyMail(tx: Kysely<Schema>, from: string, to: string): Promise<void> {
  const [mail, ...others] = MAIL_TABLES.toReversed()
  if (mail === undefined) return
  await copyRows(tx, { ...mail, from, to })
  // As `Mails.deleteUnshared` locks it.
  const { rows } = await sql`select id from mail where id = ${to} for no key update`.execute(tx)
  if (rows.length === 0) await copyRows(tx, { ...mail, from, to })
  for (const table of others) await copyRows(tx, { ...table, from, to })
}

async function copyRows(
  tx: Kysely<Schema>,
  { name, key, from, to }: { name: string; key: string; from: string; to: string },
): Promise<void> {
  const { rows } = await sql<{ column: string }>`
    select attname as "column" from pg_attribute
    where attrelid = to_regclass(${name}) and attnum > 0 and not attisdropped`.execute(tx)
  const columns = rows.map(({ column }) => column)
  await sql`insert into ${sql.table(name)} (${sql.join(columns.map((one) => sql.ref(one)))})
    select ${sql.join(columns.map((one) => (one === key ? sql`${to}` : sql.ref(one))))}
    from ${sql.table(name)} where ${sql.ref(key)} = ${from}
    on conflict do nothing`.execute(tx)
}

/** PostgreSQL's code for a row in another partition that belongs into the new one. */
const ROWS_ELSEWHERE = '23514'

/**
 * One step; false when another node is at it, when it took too long, as to get a lock, or when
 * `T_other` got mails of the day of a partition meanwhile.
 */
async function step(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<void>,
): Promise<boolean> {
  try {
    return await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(${PARTITIONS_LOCK}) as locked`.execute(tx)
      if (rows[0]?.locked !== true) return false
      await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(tx)
      await work(tx)
      return true
    })
  } catch (error) {
    if (error instanceof StorageUnavailable || codeOf(error) === ROWS_ELSEWHERE) return false
    throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
