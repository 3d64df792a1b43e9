import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CompiledQuery, createQueryId, type RootOperationNode } from 'kysely'
import { createSqlite } from '../../../test/testing-databases.ts'
import { ALICE, describeEachDatabase, givenInbox, newMail } from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import { sqliteDialect } from '../dialect.ts'
import { openStore, type Store } from '../open.ts'
import { openSqlite } from '../sqlite/open.ts'
import { Candidates } from './candidates.ts'
import { CatchAllMessages } from './catch-all-messages.ts'
import type { NewMail } from './mails.ts'
import { Messages } from './messages.ts'

const ids = createIds({ now: () => 1 })

async function givenMessage(store: Store, mail: NewMail) {
  const { id: inboxId } = await givenInbox(store, { owner: ALICE })
  const id = ids.next('message')
  await store.mails.add([mail], [{ id, inboxId, recipient: 'a@b.test', sequence: 1, mail }])
  return { inboxId, id }
}

describeEachDatabase('messages', (open) => {
  it('are traced without reading the content of their mails', async () => {
    const store = await open()
    const sender = { mailFrom: 'a@example.com', remoteAddress: '192.0.2.1', tls: 'TLSv1.3' }
    // Reading it would throw.
    const { inboxId } = await givenMessage(store, { ...newMail(), sender, content: 'not JSON' })
    const [trace] = await store.messages.listTraces(ALICE, inboxId, 10)
    assert.deepEqual(trace?.sender, sender)
  })

  it('are read with a text that is stored in the raw mail only', async () => {
    const store = await open()
    const raw = {
      encoding: 'identity',
      bytes: Buffer.from('A: b\r\n\r\none\r\ntwo\r\n--c'),
    } as const
    const mail = { ...newMail(), raw, text: { start: 8, end: 18 } }
    const { inboxId, id } = await givenMessage(store, mail)
    const { messages } = store
    assert.equal(await messages.findText(ALICE, inboxId, id), 'one\ntwo\n')
    assert.equal((await messages.find(ALICE, inboxId, id))?.text, 'one\ntwo\n')
    assert.equal((await messages.listQueried(ALICE, [id])).get(id)?.text, 'one\ntwo\n')
    const small = await messages.findSmallPlain(ALICE, { inboxId, messageId: id }, 1_000)
    assert.equal(small?.text, 'one\ntwo\n')
  })
})

describe('messages by their ids on SQLite', () => {
  it('are found by these, and not among all of the account', async () => {
    await using database = await createSqlite()
    await (await openStore({ url: database.url, exclusive: false })).close()
    const { db, statements } = openSqlite(database.url.replace(/^sqlite:/, ''), 'atCommit')
    try {
      const nodes: RootOperationNode[] = []
      const watched = db.withPlugin({
        transformQuery: ({ node }) => {
          nodes.push(node)
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const messages = new Messages({ db: watched, statements })
      const many = Array.from({ length: 100 }, () => ids.next('message'))
      await new Candidates({ db: watched, statements }).listByIds(ALICE, many)
      await messages.listByIds(ALICE, many)
      await messages.listQueried(ALICE, many)
      const caught = new CatchAllMessages(watched, sqliteDialect)
      await caught.findRefs(ALICE, [ids.next('inbox')], many)
      assert.equal(nodes.length, 4)
      for (const node of nodes) {
        const { sql, parameters } = db.getExecutor().compileQuery(node, createQueryId())
        const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
        const [first] = (await db.executeQuery<{ detail: string }>(plan)).rows
        assert.match(String(first?.detail), /^SEARCH message USING INDEX \w+ \(id=\?\)/)
      }
    } finally {
      await db.destroy()
    }
  })
})
