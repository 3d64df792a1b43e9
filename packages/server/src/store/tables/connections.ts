import type { AccountId, ConnectionProvider, Plan } from '@mayfly/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../schema.ts'

/** A connection that waits for its callback. */
export type ConnectionAttempt = {
  readonly stateHash: string
  readonly accountId: AccountId
  readonly provider: ConnectionProvider
  readonly codeVerifier: string
  readonly nonce: string
  readonly createdAt: number
}

/** A user at a provider. */
export type ExternalIdentity = { readonly issuer: string; readonly subject: string }

/** Connected external accounts, and attempts to connect one. */
export class Connections {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Writes an attempt. */
  async addAttempt(attempt: ConnectionAttempt): Promise<void> {
    await this.#db
      .insertInto('connection_attempt')
      .values({
        state_hash: attempt.stateHash,
        account_id: attempt.accountId,
        provider: attempt.provider,
        code_verifier: attempt.codeVerifier,
        nonce: attempt.nonce,
        created_at: attempt.createdAt,
      })
      .execute()
  }

  /** Deletes and returns an attempt, so that it can be used only once; null when it is unknown. */
  async takeAttempt(stateHash: string): Promise<ConnectionAttempt | null> {
    const row = await this.#db
      .deleteFrom('connection_attempt')
      .where('state_hash', '=', stateHash)
      .returningAll()
      .executeTakeFirst()
    return row === undefined ? null : toAttempt(row)
  }

  /** The attempt with this state, which stays; or null. */
  async findAttempt(stateHash: string): Promise<ConnectionAttempt | null> {
    const row = await this.#db
      .selectFrom('connection_attempt')
      .where('state_hash', '=', stateHash)
      .selectAll()
      .executeTakeFirst()
    return row === undefined ? null : toAttempt(row)
  }

  /** Deletes attempts from before then. */
  async deleteAttempts(before: number): Promise<void> {
    await this.#db.deleteFrom('connection_attempt').where('created_at', '<=', before).execute()
  }

  /** The identity connected to an account, or null. */
  async find(owner: AccountId): Promise<ExternalIdentity | null> {
    const row = await this.#db
      .selectFrom('external_identity')
      .select(['issuer', 'subject'])
      .where('account_id', '=', owner)
      .executeTakeFirst()
    return row ?? null
  }

  /** Connects an identity; false when it is connected to another account already. */
  async add(
    owner: AccountId,
    identity: ExternalIdentity,
    fields: { readonly connectedAt: number; readonly planBefore: Plan },
  ): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('external_identity')
      .values({
        issuer: identity.issuer,
        subject: identity.subject,
        account_id: owner,
        connected_at: fields.connectedAt,
        plan_before: fields.planBefore,
      })
      .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }

  /** Disconnects an account; returns its plan from before, or null when it was not connected. */
  async remove(owner: AccountId): Promise<Plan | null> {
    const row = await this.#db
      .deleteFrom('external_identity')
      .where('account_id', '=', owner)
      .returning('plan_before')
      .executeTakeFirst()
    return row?.plan_before ?? null
  }

  /** Changes the plan of an account, if it is on the plan `from`. */
  async changePlan(owner: AccountId, change: { from: Plan; to: Plan }): Promise<void> {
    await this.#db
      .updateTable('account')
      .set({ plan: change.to })
      .where('id', '=', owner)
      .where('plan', '=', change.from)
      .execute()
  }
}

function toAttempt(row: Selectable<Schema['connection_attempt']>): ConnectionAttempt {
  return {
    stateHash: row.state_hash,
    accountId: row.account_id,
    provider: row.provider,
    codeVerifier: row.code_verifier,
    nonce: row.nonce,
    createdAt: row.created_at,
  }
}
