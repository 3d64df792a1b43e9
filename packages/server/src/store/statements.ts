import { CompiledQuery, type Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Runs statements that are written by hand, past the query builder: on the path of a mail,
 * building and compiling one would cost more than running it.
 */
export type Statements = {
  /** The rows that the statement gives; their type is the caller's promise. */
  run<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]>
}

/** Statements on whatever connection Kysely gives. */
export function statementsOver(db: Kysely<Schema>): Statements {
  return {
    run: async <Row>(sql: string, parameters: readonly unknown[]) =>
      (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows,
  }
}
