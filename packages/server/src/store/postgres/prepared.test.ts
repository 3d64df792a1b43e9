import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { statementsOver } from '../statements.ts'
import { openPostgres } from './open.ts'

onEachDatabase('hand-written statements', (create, name) => {
  if (name !== 'PostgreSQL') return

  for (const [isPooled, count] of [
    [false, 1],
    [true, 0],
  ] as const) {
    it(`${isPooled ? 'are not' : 'are'} prepared ${isPooled ? 'behind a pooler' : 'when they are used again'}`, async () => {
      await using database = await create()
      const options = { connectionsMax: 1, timeLimits: true, isPooled }
      const db = openPostgres(database.url, options)
      const statements = statementsOver(db)
      const text = `select cast($1 as integer) + ${isPooled ? 1 : 2} as sum`
      const sums: number[] = []
      for (let given = 0; given < 10; given++) {
        const [row] = await statements.run<{ sum: number }>(text, [given])
        sums.push(row?.sum ?? Number.NaN)
      }
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements where statement = ${text}`.execute(db)
      await db.destroy()
      assert.equal(rows.length, count)
      assert.deepEqual(
        sums,
        Array.from({ length: 10 }, (_, given) => given + (isPooled ? 1 : 2)),
      )
    })
  }
})
