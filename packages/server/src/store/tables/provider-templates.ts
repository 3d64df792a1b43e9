import type { AccountId, ProviderCall } from '@mayfly/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../schema.ts'

/** A template of an account at a provider. Both its id and its alias name it. */
export type StoredTemplate = {
  readonly id: string
  readonly alias: string
  readonly createdAt: number
  /** The fields that the provider's own calls read and write. */
  readonly content: unknown
}

type Provider = ProviderCall['name']

/** Templates of accounts at providers. */
export class ProviderTemplates {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Writes a template, in place of the one with its id. */
  async put(owner: AccountId, provider: Provider, template: StoredTemplate): Promise<void> {
    const { id, alias, createdAt } = template
    const content = JSON.stringify(template.content)
    await this.#db
      .insertInto('provider_template')
      .values({ account_id: owner, provider, id, alias, created_at: createdAt, content })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'provider', 'id']).doUpdateSet({ alias, content }),
      )
      .execute()
  }

  /** The template with this id or alias. */
  async find(owner: AccountId, provider: Provider, name: string): Promise<StoredTemplate | null> {
    const row = await this.#of(owner, provider)
      .selectAll()
      .where((where) => where.or([where('id', '=', name), where('alias', '=', name)]))
      .orderBy('created_at')
      .executeTakeFirst()
    return row === undefined ? null : toTemplate(row)
  }

  /** The templates of an account, newest first. */
  async list(owner: AccountId, provider: Provider, limit: number): Promise<StoredTemplate[]> {
    const rows = await this.#of(owner, provider)
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toTemplate)
  }

  async count(owner: AccountId): Promise<number> {
    const { count } = await this.#db
      .selectFrom('provider_template')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', owner)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  async remove(owner: AccountId, provider: Provider, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('provider_template')
      .where('account_id', '=', owner)
      .where('provider', '=', provider)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows === 1n
  }

  #of(owner: AccountId, provider: Provider) {
    return this.#db
      .selectFrom('provider_template')
      .where('account_id', '=', owner)
      .where('provider', '=', provider)
  }
}

function toTemplate(row: Selectable<Schema['provider_template']>): StoredTemplate {
  const { id, alias, created_at: createdAt, content } = row
  return { id, alias, createdAt, content: JSON.parse(content) }
}
