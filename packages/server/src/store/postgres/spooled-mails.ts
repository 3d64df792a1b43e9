/** How often a mail that its node has left behind is tried; after that it is set aside. */
export const TRIES_MAX = 3

/**
 * Rows live for seconds, and a burst has thousands: they are vacuumed early. A mail of some
 * kilobytes stays in its row, uncompressed; only a larger one is stored out of line.
 *
 * The file is not truncated: PostgreSQL would plan to read all rows of a table that it has seen
 * empty, and do so also when a burst has filled it.
 */
export const SPOOLED_MAILS: readonly string[] = [
  `create table spooled_mail (
    id text collate "C" primary key,
    account_id text collate "C" not null,
    inbox_id text collate "C" not null,
    node text not null,
    content bytea not null,
    tries integer not null default 0
  ) with (
    toast_tuple_target = 8160,
    vacuum_truncate = off,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 2000
  )`,
  'alter table spooled_mail alter column content set storage external',
  `create index spooled_mail_by_inbox on spooled_mail (account_id, inbox_id)
    where tries < ${TRIES_MAX}`,
  `create table spool_lease (
    node text primary key,
    leased_until bigint not null
  )`,
]
