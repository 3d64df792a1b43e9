// The tables that PostgreSQL has in partitions by the day of purge in the ids of mails:
//
//   T_d20773     mails to be purged on day 20,773; made and dropped by mail-partitions.ts
//   T_unending   mails in inboxes that never expire
//   T_other      mails of days without a partition; deleted one by one

import { mailIdStart, UNENDING_DAY } from '../../mail-id.ts'

/** Tables that refer to others first: the order in which they are dropped. */
export const MAIL_TABLES = [
  { name: 'sender_verdict', key: 'mail_id' },
  { name: 'attachment', key: 'mail_id' },
  { name: 'raw_mail', key: 'mail_id' },
  { name: 'mail', key: 'id' },
] as const

type MailTable = (typeof MAIL_TABLES)[number]

/** The partition whose columns and indexes the others get. */
export const FIRST_PARTITION = 'other'

/** Makes the partitioned tables after their first partitions. */
export const MAIL_PARTITIONS: readonly string[] = MAIL_TABLES.toReversed().flatMap((table) => [
  `create table ${table.name} (like ${table.name}_${FIRST_PARTITION} including defaults)
    partition by range (${table.key})`,
  `alter table ${table.name} attach partition ${table.name}_${FIRST_PARTITION} default`,
  ...partitionStatements(table, 'unending'),
])

/** Makes the partition of one table, whose foreign key stays within the partitions of its name. */
export function partitionStatements(table: MailTable, suffix: string): readonly string[] {
  const { name, key } = table
  const partition = `${name}_${suffix}`
  return [
    `create table ${partition}
      (like ${name}_${FIRST_PARTITION} including defaults including indexes including storage)`,
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
  if (suffix === 'unending') return `for values from ('${mailIdStart(UNENDING_DAY)}') to (maxvalue)`
  const day = Number(suffix.slice(1))
  return `for values from ('${mailIdStart(day)}') to ('${mailIdStart(day + 1)}')`
}
