import type { AccountId, FaultPhase, InboxId } from '@mayfly/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** A rule by which an inbox refuses mail. */
export type StoredFaultRule = {
  /** From 0, in the order in which the caller gave the rules. */
  readonly position: number
  readonly phase: FaultPhase
  /** The SMTP code, or the HTTP status of the phase `api`; null for a delay alone. */
  readonly code: number | null
  readonly retryAfterSeconds: number | null
  readonly delayMs: number | null
  readonly text: string
  readonly timesLeft: number | null
  readonly probability: number | null
}

/** Rules by which inboxes refuse mail. */
export class FaultRules {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Replaces the rules of an inbox; false when the account has no such inbox. In a transaction. */
  async replace(
    owner: AccountId,
    inboxId: InboxId,
    faults: { readonly rules: readonly StoredFaultRule[]; readonly until: number },
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('inbox')
      .set({ faults_until: faults.until })
      .where('id', '=', inboxId)
      .where('account_id', '=', owner)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await this.#db.deleteFrom('fault_rule').where('inbox_id', '=', inboxId).execute()
    const rows = faults.rules.map((rule) => toRow(inboxId, rule))
    if (rows.length > 0) await this.#db.insertInto('fault_rule').values(rows).execute()
    return true
  }

  /** The rules that are not used up, in their order; null when the account has no such inbox. */
  async find(
    owner: AccountId,
    inboxId: InboxId,
    now: number,
  ): Promise<{ readonly rules: StoredFaultRule[]; readonly until: number } | null> {
    const inbox = await this.#db
      .selectFrom('inbox')
      .select('faults_until')
      .where('id', '=', inboxId)
      .where('account_id', '=', owner)
      .executeTakeFirst()
    if (inbox === undefined) return null
    const until = inbox.faults_until
    return { rules: until > now ? await this.listUsable(inboxId) : [], until }
  }

  /** The rules of an inbox that are not used up. */
  async listUsable(inboxId: InboxId): Promise<StoredFaultRule[]> {
    const rows = await this.#db
      .selectFrom('fault_rule')
      .selectAll()
      .where('inbox_id', '=', inboxId)
      .where((where) => where.or([where('times_left', 'is', null), where('times_left', '>', 0)]))
      .orderBy('position')
      .execute()
    return rows.map(toRule)
  }

  /**
   * Uses a rule once; false when it was used up or replaced in the meantime. One statement, so
   * that of all threads and nodes only as many succeed as the rule has times.
   */
  async use(inboxId: InboxId, rule: StoredFaultRule): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('fault_rule')
      .set({ times_left: sql<number>`times_left - 1` })
      .where('inbox_id', '=', inboxId)
      .where('position', '=', rule.position)
      .where('phase', '=', rule.phase)
      .where('text', '=', rule.text)
      // Null stays null.
      .where((where) => where.or([where('times_left', 'is', null), where('times_left', '>', 0)]))
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
}

function toRow(inboxId: InboxId, rule: StoredFaultRule): Selectable<Schema['fault_rule']> {
  const { retryAfterSeconds, delayMs, timesLeft, ...same } = rule
  return {
    ...same,
    inbox_id: inboxId,
    retry_after_seconds: retryAfterSeconds,
    delay_ms: delayMs,
    times_left: timesLeft,
  }
}

function toRule(row: Selectable<Schema['fault_rule']>): StoredFaultRule {
  const { position, phase, code, text, probability } = row
  const { retry_after_seconds: retryAfterSeconds, delay_ms: delayMs, times_left: timesLeft } = row
  return { position, phase, code, retryAfterSeconds, delayMs, text, timesLeft, probability }
}
