import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { openStore } from '../open.ts'

onEachDatabase('migration 7', (create) => {
  it('keeps the verdicts of an older store', async () => {
    await using database = await create('template0')
    const open = (migrateUpTo?: number) =>
      openStore({ url: database.url, exclusive: false, migrateUpTo })
    const older = await open(6)
    for (const [id, auth] of [
      ['eml_1', `'{"spf":1}'`],
      ['eml_2', 'null'],
    ]) {
      await older.execute(`insert into mail (id, received_at, size_bytes, content, transcript, auth)
          values ('${id}', 1, 1, '{"envelope":{}}', '', ${auth})`)
    }
    await older.close()

    const newer = await open()
    const unchecked = []
    for (const id of ['eml_1', 'eml_2']) {
      unchecked.push((await newer.mails.findUncheckedEnvelope(id)) !== null)
    }
    await newer.close()
    assert.deepEqual(unchecked, [false, true])
  })
})
