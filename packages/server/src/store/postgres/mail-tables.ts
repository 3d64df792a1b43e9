// The tables that PostgreSQL has in partitions by the day of purge in the ids of mails:
//
//   T_undated    mails of versions that wrote no day into the id: the tables from before
//   T_d20773     mails to be purged on day 20,773; made and dropped by mail-partitions.ts
//   T_unending   mails in inboxes that never expire
//   T_other      mails of days without a partition; deleted one by one

import { type Kysely, sql } from 'kysely'
import { DATED_FROM, mailIdStart, UNENDING_DAY } from '../../mail-id.ts'
import type { Schema } from '../schema.ts'

/** Those that refer to others first: in this order they are dropped. */
export const MAIL_TABLES = [
  { name: 'sender_verdict', key: 'mail_id' },
  { name: 'attachment', key: 'mail_id' },
  { name: 'raw_mail', key: 'mail_id' },
  { name: 'mail', key: 'id' },
] as const

type MailTable = (typeof MAIL_TABLES)[number]

const undatedCheck = ({ name }: MailTable) => `${name}_is_undated`

/** Turns the tables into partitions, without reading or writing their rows. */
export const MAIL_PARTITIONS: readonly string[] = [
  // A message refers to a mail of any partition; both are written by one statement.
  'alter table message drop constraint message_mail_id_fkey',
  ...MAIL_TABLES.toReversed().flatMap(undatedStatements),
  ...['unending', 'other'].flatMap((suffix) =>
    MAIL_TABLES.toReversed().flatMap((table) => partitionStatements(table, suffix)),
  ),
]

function undatedStatements(table: MailTable): readonly string[] {
  const { name, key } = table
  return [
    `alter table ${name} rename to ${name}_undated`,
    `create table ${name} (like ${name}_undated including defaults) partition by range (${key})`,
    `alter table ${name} attach partition ${name}_undated
      for values from (minvalue) to ('${DATED_FROM}')`,
    `alter table ${name}_undated drop constraint if exists ${undatedCheck(table)}`,
  ]
}

/** Makes the partition of one table, whose foreign key stays within the partitions of its name. */
export function partitionStatements(table: MailTable, suffix: string): readonly string[] {
  const { name, key } = table
  const partition = `${name}_${suffix}`
  return [
    `create table ${partition}
      (like ${name}_undated including defaults including indexes including storage)`,
    ...(name === 'mail'
      ? []
      : [
          `alter table ${partition} add foreign key (${key})
            references mail_${suffix} (id) on delete cascade`,
        ]),
    `alter table ${name} attach partition ${partition} ${boundsOf(suffix)}`,
  ]
}

function boundsOf(suffix: string): string {
  if (suffix === 'other') return 'default'
  if (suffix === 'unending') return `for values from ('${mailIdStart(UNENDING_DAY)}') to (maxvalue)`
  const day = Number(suffix.slice(1))
  return `for values from ('${mailIdStart(day)}') to ('${mailIdStart(day + 1)}')`
}

/**
 * Proves that no id in the tables of an older store has a day, while others read and write: the
 * migration needs not read the rows under its lock then. May be interrupted, and begun again.
 */
export async function proveUndated(
  db: Kysely<Schema>,
  lockMigrations: (tx: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  for (const table of MAIL_TABLES) {
    const check = undatedCheck(table)
    await db.transaction().execute(async (tx) => {
      await lockMigrations(tx)
      if ((await proofOf(tx, table)) !== 'missing') return
      await sql
        .raw(`alter table ${table.name} add constraint ${check}
          check (${table.key} < '${DATED_FROM}') not valid`)
        .execute(tx)
    })
    if ((await proofOf(db, table)) !== 'declared') continue
    await sql.raw(`alter table ${table.name} validate constraint ${check}`).execute(db)
  }
}

/** Null for a table that does not exist, or is in partitions already. */
async function proofOf(
  db: Kysely<Schema>,
  table: MailTable,
): Promise<'missing' | 'declared' | 'valid' | null> {
  const { rows } = await sql<{ isValid: boolean | null }>`
    select (select convalidated from pg_constraint
      where conrelid = pg_class.oid and conname = ${undatedCheck(table)}) as "isValid"
    from pg_class where oid = to_regclass(${table.name}) and relkind = 'r'`.execute(db)
  const [found] = rows
  if (found === undefined) return null
  if (found.isValid === null) return 'missing'
  return found.isValid ? 'valid' : 'declared'
}
