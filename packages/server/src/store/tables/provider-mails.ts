import type { AccountId, InboxId, ProviderCall } from '@mayfly/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'

/** A mail that a provider's API has accepted and that no inbox has. */
type HeldMail = {
  /** Id under which it is stored when it is due: the same at each try. */
  readonly mailId: string
  readonly mailFrom: string
  readonly remoteAddress: string
  readonly subject: string
  readonly recipients: readonly {
    readonly address: string
    readonly inboxId: InboxId
    readonly isCatchAll: boolean
  }[]
  /** All addresses, also without an inbox. */
  readonly addresses: readonly string[]
  readonly call: ProviderCall
  readonly unknownFields: readonly string[]
}

/** A scheduled mail is paused while it has no time. */
export type BatchState = 'scheduled' | 'paused' | 'canceled'

/** The state of a held mail: `accepted` is one whose addresses all stand for a result. */
type HeldState = Schema['provider_mail']['state']

/** Names a held mail. */
export type HeldKey = {
  readonly accountId: AccountId
  readonly provider: ProviderCall['name']
  readonly id: string
}

/** A held mail without its bytes. */
export type StoredHeldMail = HeldKey & {
  readonly state: HeldState
  readonly createdAt: number
  readonly dueAt: number | null
  readonly mail: HeldMail
}

/** The same with its bytes, as it is written. */
export type NewHeldMail = StoredHeldMail & {
  readonly raw: Uint8Array
  /** Scheduled mails of one batch are paused, canceled and resumed together. */
  readonly batch?: string | undefined
}

/** A mail that is due, leased by this process. */
type DueMail = HeldKey & { readonly mail: HeldMail }

const COLUMNS = ['account_id', 'provider', 'id', 'state', 'created_at', 'due_at', 'mail'] as const

/** Mails that a provider's API has accepted and that no inbox has, yet or ever. */
export class ProviderMails {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  async add({ mail, raw, batch, ...held }: NewHeldMail): Promise<void> {
    const { accountId, provider, id, state, createdAt, dueAt } = held
    await this.#db
      .insertInto('provider_mail')
      .values({
        ...{ account_id: accountId, provider, id, state, created_at: createdAt, due_at: dueAt },
        ...{ leased_until: null, mail: JSON.stringify(mail), raw, batch: batch ?? null },
      })
      .execute()
  }

  /** How many an account has that may be sent. */
  async countScheduled(owner: AccountId): Promise<number> {
    const { count } = await this.#db
      .selectFrom('provider_mail')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', owner)
      .where('state', '=', 'scheduled')
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  async find(owner: AccountId, { provider, id }: Omit<HeldKey, 'accountId'>) {
    const row = await this.#db
      .selectFrom('provider_mail')
      .select(COLUMNS)
      .where('account_id', '=', owner)
      .where('provider', '=', provider)
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : toHeld(row)
  }

  /** The bytes of a mail; empty when it is gone. */
  async findRaw({ accountId, provider, id }: HeldKey): Promise<Uint8Array> {
    const row = await this.#db
      .selectFrom('provider_mail')
      .select('raw')
      .where('account_id', '=', accountId)
      .where('provider', '=', provider)
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.raw ?? new Uint8Array()
  }

  /**
   * Moves a scheduled mail to another time, or cancels it (null). False when it is no longer
   * scheduled, or being sent.
   */
  async reschedule(
    owner: AccountId,
    { provider, id, dueAt, now }: Omit<HeldKey, 'accountId'> & ScheduleChange,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('provider_mail')
      .set(dueAt === null ? { due_at: null, state: 'canceled' } : { due_at: dueAt })
      .where('account_id', '=', owner)
      .where('provider', '=', provider)
      .where('id', '=', id)
      .where('state', '=', 'scheduled')
      .where((where) =>
        where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]),
      )
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  /** The mails of batches that are not sent; of one batch where that is given. */
  async listBatches(owner: AccountId, { provider, batch }: BatchOf) {
    let query = this.#db
      .selectFrom('provider_mail')
      .select(['id', 'batch', 'state', 'due_at'])
      .where('account_id', '=', owner)
      .where('provider', '=', provider)
      .where('state', 'in', ['scheduled', 'canceled'])
      .where('batch', 'is not', null)
    if (batch !== undefined) query = query.where('batch', '=', batch)
    const rows = await query.execute()
    return rows.map((row) => {
      const paused: BatchState = row.due_at === null ? 'paused' : 'scheduled'
      const state = row.state === 'canceled' ? row.state : paused
      return { id: row.id, batch: row.batch ?? '', state }
    })
  }

  /** Pauses, cancels or resumes the mails of a batch that are not being sent. */
  async changeBatch(owner: AccountId, { state, now, ...of }: BatchChange): Promise<void> {
    for (const { id } of await this.listBatches(owner, of)) {
      const { provider } = of
      const found = state === 'scheduled' ? await this.find(owner, { provider, id }) : null
      const time = found?.mail.call.scheduledAt ?? null
      await this.#db
        .updateTable('provider_mail')
        .set({
          state: state === 'canceled' ? 'canceled' : 'scheduled',
          due_at: time === null ? null : Date.parse(time),
        })
        .where('account_id', '=', owner)
        .where('provider', '=', provider)
        .where('id', '=', id)
        .where((where) =>
          where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]),
        )
        .execute()
    }
  }

  /** Whether a mail is due that no process has leased. */
  async hasDue(now: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom('provider_mail')
      .select('id')
      .where('due_at', '<=', now)
      .where((where) =>
        where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]),
      )
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Leases mails that are due, the longest due first. */
  async claimDue(lease: {
    readonly now: number
    readonly leasedUntil: number
    readonly limit: number
  }): Promise<DueMail[]> {
    const { now, leasedUntil, limit } = lease
    const { rows } = await sql<Pick<HeldRow, 'account_id' | 'provider' | 'id' | 'mail'>>`
      with due as materialized (
        select account_id, provider, id from provider_mail
        where due_at is not null and due_at <= ${now}
        and (leased_until is null or leased_until <= ${now})
        order by due_at limit ${limit}${sql.raw(this.#dialect.skipLocked)})
      update provider_mail set leased_until = ${leasedUntil}
      where (account_id, provider, id) in (select account_id, provider, id from due)
      returning account_id, provider, id, mail`.execute(this.#db)
    return rows.map((row) => ({ ...keyOf(row), mail: readMail(row.mail) }))
  }

  /** Deletes a mail that an inbox has now. */
  async remove({ accountId, provider, id }: HeldKey): Promise<void> {
    await this.#db
      .deleteFrom('provider_mail')
      .where('account_id', '=', accountId)
      .where('provider', '=', provider)
      .where('id', '=', id)
      .execute()
  }

  /** Ends a mail that no inbox takes. */
  async fail({ accountId, provider, id }: HeldKey): Promise<void> {
    await this.#db
      .updateTable('provider_mail')
      .set({ due_at: null, state: 'failed' })
      .where('account_id', '=', accountId)
      .where('provider', '=', provider)
      .where('id', '=', id)
      .execute()
  }

  /** Deletes mails from before a time that will not be sent. */
  async deleteOld(before: number): Promise<void> {
    await this.#db
      .deleteFrom('provider_mail')
      .where('created_at', '<=', before)
      .where('due_at', 'is', null)
      .execute()
  }
}

type ScheduleChange = { readonly dueAt: number | null; readonly now: number }

type BatchOf = { readonly provider: ProviderCall['name']; readonly batch?: string }

type BatchChange = Required<BatchOf> & { readonly state: BatchState; readonly now: number }

type HeldRow = Pick<Selectable<Schema['provider_mail']>, (typeof COLUMNS)[number]>

function toHeld(row: HeldRow): StoredHeldMail {
  const { state, created_at: createdAt, due_at: dueAt } = row
  return { ...keyOf(row), state, createdAt, dueAt, mail: readMail(row.mail) }
}

function keyOf(row: Pick<HeldRow, 'account_id' | 'provider' | 'id'>): HeldKey {
  // Written by `add`.
  return { accountId: row.account_id, provider: row.provider as HeldKey['provider'], id: row.id }
}

function readMail(json: string): HeldMail {
  // Written by `add`.
  return JSON.parse(json) as HeldMail
}
