import type { ColumnTypes } from '../dialect.ts'

/** The verdicts of sender checks get a table: writing one must not rewrite the row of the mail. */
export const senderVerdicts = (t: ColumnTypes): readonly string[] => [
  `create table sender_verdict (
    mail_id ${t.id} primary key references mail (id) on delete cascade,
    auth text not null
  )${t.options}`,
  'insert into sender_verdict (mail_id, auth) select id, auth from mail where auth is not null',
  'drop index mail_unchecked',
  'alter table mail drop column auth',
]
