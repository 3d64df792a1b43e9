import {
  type AccountId,
  PENDING_DELIVERIES_MAX,
  type Webhook,
  type WebhookId,
} from '@mayfly/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import type { Statements } from '../statements.ts'
import { isoTime, isoTimeOrNull } from '../time.ts'

/** A webhook as it is written. */
export type NewWebhook = {
  readonly id: WebhookId
  readonly url: string
  readonly secretSealed: string
  readonly createdAt: number
}

/** A webhook with its sealed signing secret. */
export type StoredWebhook = Webhook & { readonly secretSealed: string }

/** A webhook that is not disabled. */
export type ActiveWebhook = {
  readonly id: WebhookId
  readonly accountId: AccountId
  readonly url: string
  /** Deliveries to it that are pending, counted up to PENDING_DELIVERIES_MAX. */
  readonly pending: number
}

type ActiveRow = { id: WebhookId; account_id: AccountId; url: string; pending: number }

/** Webhooks. */
export class Webhooks {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Writes a new webhook, which is active. */
  async add(owner: AccountId, webhook: NewWebhook): Promise<Webhook> {
    const row = {
      id: webhook.id,
      account_id: owner,
      url: webhook.url,
      secret_sealed: webhook.secretSealed,
      created_at: webhook.createdAt,
      disabled_at: null,
      last_delivery_at: null,
      last_status: null,
    }
    await this.#db.insertInto('webhook').values(row).execute()
    return toWebhook(row)
  }

  /** The account's webhooks, oldest first, disabled ones included. */
  async list(owner: AccountId): Promise<Webhook[]> {
    const rows = await this.#db
      .selectFrom('webhook')
      .selectAll()
      .where('account_id', '=', owner)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(toWebhook)
  }

  /** The account's webhook, or null. */
  async find(owner: AccountId, id: WebhookId): Promise<StoredWebhook | null> {
    const row = await this.#db
      .selectFrom('webhook')
      .selectAll()
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : { ...toWebhook(row), secretSealed: row.secret_sealed }
  }

  /** False when the account has no such webhook. */
  async delete(owner: AccountId, id: WebhookId): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('webhook')
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows === 1n
  }

  /** The webhooks of these accounts that are not disabled. */
  async listActive(accountIds: readonly AccountId[]): Promise<ActiveWebhook[]> {
    if (accountIds.length === 0) return []
    const { among, list } = this.#dialect
    // It runs with every commit of mail.
    const rows = await this.#statements.run<ActiveRow>(
      `select id, account_id, url, (select count(*) from (
           select 1 from delivery where webhook_id = webhook.id and next_attempt_at is not null
           limit ${PENDING_DELIVERIES_MAX}) as counted) as pending
         from webhook where account_id ${among(1)} and disabled_at is null`,
      [list(accountIds)],
    )
    return rows.map(({ account_id: accountId, ...row }) => ({ ...row, accountId }))
  }

  /** Sets the last attempt, unless a later one is set already. */
  async setLastAttempt(
    id: WebhookId,
    attempt: { readonly at: number; readonly status: number | null },
  ): Promise<void> {
    await this.#db
      .updateTable('webhook')
      .set({ last_delivery_at: attempt.at, last_status: attempt.status })
      .where('id', '=', id)
      .where((on) =>
        on.or([on('last_delivery_at', 'is', null), on('last_delivery_at', '<=', attempt.at)]),
      )
      .execute()
  }

  /** Disables a webhook; the first time counts. */
  async disable(id: WebhookId, at: number): Promise<void> {
    await this.#db
      .updateTable('webhook')
      .set({ disabled_at: at })
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .execute()
  }

  /** Deletes webhooks that were disabled before then. */
  async deleteDisabled(before: number): Promise<void> {
    await this.#db.deleteFrom('webhook').where('disabled_at', '<', before).execute()
  }
}

function toWebhook(row: Selectable<Schema['webhook']>): Webhook {
  return {
    id: row.id,
    url: row.url,
    createdAt: isoTime(row.created_at),
    lastDeliveryAt: isoTimeOrNull(row.last_delivery_at),
    lastStatus: row.last_status,
    disabledAt: isoTimeOrNull(row.disabled_at),
  }
}
