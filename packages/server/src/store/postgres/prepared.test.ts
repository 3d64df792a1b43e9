import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { postgresDialect } from '../dialect.ts'
import { statementsOver } from '../statements.ts'
import { ReceivingQueries } from '../tables/receiving.ts'
import { SpooledMails } from '../tables/spooled-mails.ts'
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

  it('that look up rows by keys are planned once, by indexes, though all tables are empty', async () => {
    await using database = await create('mayfly_schema')
    const options = { connectionsMax: 1, timeLimits: true, isPooled: false, isByKeys: true }
    const db = openPostgres(database.url, options)
    const receiving = new ReceivingQueries(db, postgresDialect, statementsOver(db))
    for (let time = 0; time < 10; time++) {
      assert.deepEqual(await receiving.listRecipients(['a@mayfly.test']), [null])
    }
    const { rows } = await sql<{ name: string; custom_plans: number }>`
      select name, custom_plans from pg_prepared_statements
      where statement like '%address.address as asked%'`.execute(db)
    const name = rows[0]?.name ?? ''
    const plan = await sql
      .raw<{ 'QUERY PLAN': string }>(`explain execute ${name}('{a}')`)
      .execute(db)
    await db.destroy()
    assert.deepEqual(
      rows.map(({ custom_plans }) => custom_plans),
      [0],
    )
    const lines = plan.rows.map((row) => row['QUERY PLAN'])
    assert.ok(lines.some((line) => line.includes('spooled_mail_by_inbox')))
    assert.deepEqual(
      lines.filter((line) => /Seq Scan|Hash|hashed|Merge/.test(line)),
      [],
    )
  })

  it('that look for mails of lost nodes read the spool once, though it was empty when planned', async () => {
    await using database = await create('mayfly_schema')
    const options = { connectionsMax: 1, timeLimits: true, isPooled: false, isByKeys: true }
    const db = openPostgres(database.url, options)
    // Analysed when it is empty, the table is expected to have one row.
    await sql`insert into spooled_mail (id, account_id, inbox_id, node, content)
      select number::text, '', '', '', '' from generate_series(1, 1000) as number`.execute(db)
    await sql`delete from spooled_mail`.execute(db)
    await sql`vacuum analyze spooled_mail`.execute(db)
    const mails = new SpooledMails(postgresDialect, statementsOver(db))
    for (let time = 0; time < 10; time++) {
      assert.deepEqual(await mails.takeLeft({ node: 'a', now: 1, limit: 10 }), [])
    }
    const { rows } = await sql<{ name: string }>`
      select name from pg_prepared_statements
      where statement like 'update spooled_mail%'`.execute(db)
    const plan = await sql
      .raw<{ 'QUERY PLAN': string }>(`explain execute ${rows[0]?.name}('a', 10, 1)`)
      .execute(db)
    await db.destroy()
    const lines = plan.rows.map((row) => row['QUERY PLAN'])
    assert.ok(lines.some((line) => line.includes('InitPlan')))
    // It would read the mails of the spool again for each of them.
    assert.deepEqual(
      lines.filter((line) => line.includes('Nested Loop')),
      [],
    )
  })
})
