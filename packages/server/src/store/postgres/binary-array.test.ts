import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { arrayType, binaryArray, type ValueType } from './binary-array.ts'
import { openPostgres } from './open.ts'

onEachDatabase('arrays in binary form', (create, name) => {
  if (name !== 'PostgreSQL') return

  const cases: readonly (readonly [ValueType, readonly unknown[], (readonly unknown[])?])[] = [
    ['text', ['', 'a"\\,{}', 'é\u{1f600}', null, 'NULL']],
    ['text', ['a\0b', '\ud800'], ['a\ufffdb', '\ufffd']],
    ['text', []],
    ['integer', [0, 1, -1, null, Date.now(), 2 ** 32, 2 ** 32 - 1, -(2 ** 40), 2 ** 53 - 1]],
    ['real', [0, 0.1, -2.5, null, 1e300]],
    ['bytes', [Buffer.from([0, 255, 128]), Buffer.alloc(0), null]],
  ]
  for (const [type, values, expected = values] of cases) {
    it(`are read as the same ${type}: ${JSON.stringify(values)}`, async () => {
      await using database = await create()
      const db = openPostgres(database.url, {
        connectionsMax: 1,
        timeLimits: false,
        isPooled: false,
      })
      const { rows } = await sql<{ value: unknown }>`
        select value from unnest(${binaryArray(type, values)}::${sql.raw(arrayType(type))})
        with ordinality as given(value, place) order by place`.execute(db)
      await db.destroy()
      assert.deepEqual(
        rows.map(({ value }) => value),
        expected,
      )
    })
  }
})
