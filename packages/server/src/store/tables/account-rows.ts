// The rows of one account, whole, for moving it to another database: read page by page, and added
// there. A row is as the tables have it; bytes are buffers.

import type { AccountId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** A row of any table. */
export type AnyRow = Readonly<Record<string, unknown>>

/** The tables with a page of their own, parents first; mails go with their messages. */
const PAGED_TABLES = [
  'account',
  'external_identity',
  'api_key',
  'custom_domain',
  'address',
  'inbox',
  'fault_rule',
  'webhook',
  'scenario',
  'provider_template',
  'provider_mail',
  'usage_day',
  'idempotency_key',
  'message',
  'diagnostic_event',
  'delivery',
  'delivery_attempt',
] as const

/** A table whose rows are read by pages. */
export type PagedTable = (typeof PAGED_TABLES)[number]

/** The tables of a mail, the mail first. */
const MAIL_PARTS = ['mail', 'raw_mail', 'attachment', 'sender_verdict'] as const

/** A table of a mail. */
export type MailPart = (typeof MAIL_PARTS)[number]

/** The columns that order a table, and how its rows name their account if not by `account_id`. */
const ORDER: Readonly<Record<PagedTable, { readonly by: readonly string[]; readonly of?: Owner }>> =
  {
    account: { by: ['id'], of: 'id' },
    external_identity: { by: ['issuer', 'subject'] },
    api_key: { by: ['id'] },
    custom_domain: { by: ['domain'] },
    address: { by: ['address'] },
    inbox: { by: ['id'] },
    fault_rule: { by: ['inbox_id', 'position'], of: 'inbox' },
    webhook: { by: ['id'] },
    scenario: { by: ['id'] },
    provider_template: { by: ['provider', 'id'] },
    provider_mail: { by: ['provider', 'id'] },
    usage_day: { by: ['date', 'environment'] },
    idempotency_key: { by: ['key'] },
    message: { by: ['inbox_id', 'sequence'], of: 'inbox' },
    diagnostic_event: { by: ['inbox_id', 'id'], of: 'inbox' },
    delivery: { by: ['id'] },
    delivery_attempt: { by: ['delivery_id', 'number'], of: 'delivery' },
  }

type Owner = 'id' | 'inbox' | 'delivery'

/** Tables with one row for each value among all accounts, which another account may have. */
const CLAIMED = { address: 'address', custom_domain: 'domain' } as const

/** Queries that move an account. */
export class AccountRows {
  readonly pagedTables = PAGED_TABLES
  readonly mailParts = MAIL_PARTS
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Rows of an account in the order of their keys, after a row; from the first when it is null. */
  async page(
    owner: AccountId,
    table: PagedTable,
    { after, limit }: { readonly after: AnyRow | null; readonly limit: number },
  ): Promise<AnyRow[]> {
    const { by, of } = ORDER[table]
    const columns = sql.join(by.map((column) => sql.ref(column)))
    const past =
      after === null
        ? sql``
        : sql`and (${columns}) > (${sql.join(by.map((column) => after[column]))})`
    const { rows } = await sql<AnyRow>`select * from ${sql.table(table)}
      where ${ownedBy(owner, of)} ${past} order by ${columns} limit ${limit}`.execute(this.#db)
    return rows
  }

  /** The rows of mails in one of their tables. */
  async mailRows(part: MailPart, mailIds: readonly string[]): Promise<AnyRow[]> {
    if (mailIds.length === 0) return []
    const key = part === 'mail' ? 'id' : 'mail_id'
    const { rows } = await sql<AnyRow>`select * from ${sql.table(part)}
      where ${sql.ref(key)} in (${sql.join([...mailIds])})`.execute(this.#db)
    return rows
  }

  /** Adds rows that are not there yet; returns how many were added. In a transaction. */
  async add(table: PagedTable | MailPart, rows: readonly AnyRow[]): Promise<number> {
    const [first] = rows
    if (first === undefined) return 0
    const columns = sql.join(Object.keys(first).map((column) => sql.ref(column)))
    const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`)
    const { numAffectedRows = 0n } = await sql`insert into ${sql.table(table)} (${columns})
      values ${sql.join(values)} on conflict do nothing`.execute(this.#db)
    return Number(numAffectedRows)
  }

  /** Those of these addresses, or domains, that another account has. */
  async claimedByOthers(
    owner: AccountId,
    table: keyof typeof CLAIMED,
    rows: readonly AnyRow[],
  ): Promise<string[]> {
    if (rows.length === 0) return []
    const column = CLAIMED[table]
    const values = sql.join(rows.map((row) => row[column]))
    const { rows: found } = await sql<{ name: string }>`
      select ${sql.ref(column)} as name from ${sql.table(table)}
      where ${sql.ref(column)} in (${values}) and account_id != ${owner}`.execute(this.#db)
    return found.map(({ name }) => name)
  }
}

function ownedBy(owner: AccountId, of: Owner | undefined) {
  switch (of) {
    case undefined:
      return sql`account_id = ${owner}`
    case 'id':
      return sql`id = ${owner}`
    case 'inbox':
      return sql`inbox_id in (select id from inbox where account_id = ${owner})`
    case 'delivery':
      return sql`delivery_id in (select id from delivery where account_id = ${owner})`
  }
}
