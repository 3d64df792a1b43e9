import type { AccountId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

/** One-time links that sign in to the dashboard. Only a hash of the token is stored. */
export class SignInLinks {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Writes a link and deletes those of the account that have expired. */
  async add(
    owner: AccountId,
    link: { readonly tokenHash: Buffer; readonly expiresAt: number; readonly now: number },
  ): Promise<void> {
    await this.#db
      .deleteFrom('sign_in_link')
      .where('account_id', '=', owner)
      .where('expires_at', '<=', link.now)
      .execute()
    await this.#db
      .insertInto('sign_in_link')
      .values({ token_hash: link.tokenHash, account_id: owner, expires_at: link.expiresAt })
      .execute()
  }

  /** Deletes the link with this token and returns its account; null when there is none. */
  async take(tokenHash: Buffer, now: number): Promise<AccountId | null> {
    const row = await this.#db
      .deleteFrom('sign_in_link')
      .where('token_hash', '=', tokenHash)
      .returning(['account_id', 'expires_at'])
      .executeTakeFirst()
    return row === undefined || row.expires_at <= now ? null : row.account_id
  }
}
