import type { AccountId, Assertion, Scenario, ScenarioId } from '@mayfly/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../schema.ts'
import { isoTime } from '../time.ts'

/** A scenario as it is written. */
export type NewScenario = {
  readonly id: ScenarioId
  readonly name: string
  readonly assertions: readonly Assertion[]
  readonly timeoutSeconds: number
  readonly createdAt: number
}

/** Saved sets of assertions. */
export class Scenarios {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Writes a scenario. */
  async add(owner: AccountId, scenario: NewScenario): Promise<Scenario> {
    const row = {
      id: scenario.id,
      account_id: owner,
      name: scenario.name,
      assertions: JSON.stringify(scenario.assertions),
      timeout_seconds: scenario.timeoutSeconds,
      created_at: scenario.createdAt,
    }
    await this.#db.insertInto('scenario').values(row).execute()
    return toScenario(row)
  }

  /** Oldest first. */
  async list(owner: AccountId): Promise<Scenario[]> {
    const rows = await this.#db
      .selectFrom('scenario')
      .selectAll()
      .where('account_id', '=', owner)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(toScenario)
  }

  /** One scenario of the account's, or null. */
  async find(owner: AccountId, id: ScenarioId): Promise<Scenario | null> {
    const row = await this.#db
      .selectFrom('scenario')
      .selectAll()
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : toScenario(row)
  }

  /** Deletes a scenario; false when the account has no such scenario. */
  async delete(owner: AccountId, id: ScenarioId): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('scenario')
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows === 1n
  }
}

function toScenario(row: Selectable<Schema['scenario']>): Scenario {
  return {
    id: row.id,
    name: row.name,
    // Written by `add`.
    assertions: JSON.parse(row.assertions) as Assertion[],
    timeoutSeconds: row.timeout_seconds,
    createdAt: isoTime(row.created_at),
  }
}
