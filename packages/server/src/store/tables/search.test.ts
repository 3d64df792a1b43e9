import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId, MessageId } from '@mayfly/contract'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  givenMail,
} from '../../../test/testing-store.ts'
import { postgresDialect } from '../dialect.ts'
import { openStore, type Store } from '../open.ts'
import { openPostgres } from '../postgres/open.ts'
import { SearchIndex, type SearchPage, type SearchPlace, type UnindexedMessage } from './search.ts'

/** Stores a mail with this text for each inbox, and adds them to the index in this order. */
async function index(
  store: Store,
  mails: readonly (readonly [InboxId, string])[],
): Promise<MessageId[]> {
  const ids: MessageId[] = []
  for (const [inboxId, text] of mails) {
    const { messageId } = await givenMail(store, inboxId)
    ids.push(messageId)
    await indexAll(store, text)
  }
  return ids
}

/** Adds everything that is not in the index, with this text. */
async function indexAll(store: Store, text: string): Promise<void> {
  const messages = await store.search.listUnindexed(100)
  await store.transaction((tx) => tx.search.add(messages.map((message) => ({ message, text }))))
}

async function found(store: Store, texts: readonly string[], owner = ALICE): Promise<MessageId[]> {
  const { entries } = await store.search.list(owner, { texts, from: NEWEST, limit: 100 })
  return entries.map(({ messageId }) => messageId)
}

/** Stores messages that are not in the index. */
async function givenMany(
  store: Store,
  inboxId: InboxId,
  count = 1_201,
): Promise<readonly UnindexedMessage[]> {
  const { messageId } = await givenMail(store, inboxId)
  await store.execute(
    `insert into message (id, inbox_id, mail_id, sequence, received_at, recipient, size_bytes, has_attachments, sender)
    with recursive series(i) as (select 1001 union all select i + 1 from series where i < ${999 + count})
    select id || cast(i as text), inbox_id, mail_id, i, received_at, recipient, size_bytes, has_attachments, sender
    from message, series where id = '${messageId}'`,
  )
  const messages = await store.search.listUnindexed(2 * count)
  assert.equal(messages.length, count)
  return messages
}

const NEWEST: SearchPlace = { before: 1e9, isCompared: false }

/** The messages of all pages, of two entries each. */
async function listAll(search: SearchIndex, texts: readonly string[]): Promise<MessageId[]> {
  const found: MessageId[] = []
  for (let from: SearchPlace | null = NEWEST; from !== null; ) {
    const page: SearchPage = await search.list(ALICE, { texts, from, limit: 2 })
    found.push(...page.entries.map((entry) => entry.messageId))
    from = page.next
  }
  return found
}

onEachDatabase('a search for what the index hardly narrows down', (create, database) => {
  it('finds the same, and compares part by part on PostgreSQL', async () => {
    await using resources = new AsyncDisposableStack()
    const { url } = resources.use(await create())
    const store = await openStore({ url, exclusive: false })
    resources.defer(() => store.close())
    const account = { email: 'a@example.com', name: null, plan: 'unlimited', createdAt: 1 } as const
    await store.accounts.add({ id: ALICE, ...account })
    const messages = await givenMany(store, (await givenInbox(store, { owner: ALICE })).id)
    const rare = [0, 1, 200, 700, 1_190].map((place) => messages[place]?.id)
    const entries = messages.map((message) => ({
      message,
      text: `${'a common text '.repeat(500)}${rare.includes(message.id) ? 'rare' : ''}`,
    }))
    // In parts, as they are added: a statement has a limit of time.
    for (let start = 0; start < entries.length; start += 200) {
      await store.transaction((tx) => tx.search.add(entries.slice(start, start + 200)))
    }
    if (database === 'SQLite') {
      assert.deepEqual(await listAll(store.search, ['common', 'text rare']), rare.toReversed())
      return
    }
    const db = openPostgres(url, { connectionsMax: 1, timeLimits: true, isPooled: false })
    resources.defer(() => db.destroy())
    const limits = { newestEntries: 20, indexMs: 1, comparedEntries: 300 }
    const search = new SearchIndex(db, postgresDialect, limits)
    // All pieces of it are in every entry, and the text in none.
    const first = await search.list(ALICE, { texts: ['text common'], from: NEWEST, limit: 2 })
    assert.deepEqual([first.entries, first.next?.isCompared], [[], true])
    assert.deepEqual(await listAll(search, ['text common']), [])
    assert.deepEqual(await listAll(search, ['common', 'text rare']), rare.toReversed())
  })
})

describeEachDatabase('the search index', (open, database) => {
  it('finds the messages of an account that contain all texts, newest first', async () => {
    const store = await open()
    const mine = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: BOB })
    const [first, second, third, fourth] = await index(store, [
      [mine.id, 'your code is 1'],
      [mine.id, 'your 100% "off" code'],
      [other.id, 'your code is bobs'],
      [mine.id, 'grusse_aus zurich'],
    ])
    assert.deepEqual(await found(store, ['your code']), [first])
    assert.deepEqual(await found(store, ['your', 'code']), [second, first])
    assert.deepEqual(await found(store, ['your', 'code'], BOB), [third])
    assert.deepEqual(await found(store, ['100% "off"']), [second])
    assert.deepEqual(await found(store, ['grusse_aus']), [fourth])
    assert.deepEqual(await found(store, ['nowhere']), [])
    // Too short for the index, which then leaves it to the search itself.
    assert.ok((await found(store, ['1'])).some((id) => id === first))
    assert.deepEqual(await found(store, []), [fourth, second, first])
  })

  it('pages by the numbers of its entries', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const ids = await index(store, Array(5).fill([inbox.id, 'the same text']))
    const page = { texts: ['same'], limit: 2 }
    const newest = await store.search.list(ALICE, { ...page, from: NEWEST })
    assert.deepEqual(
      newest.entries.map(({ messageId }) => messageId),
      [ids[4], ids[3]],
    )
    assert.ok(newest.next)
    const next = await store.search.list(ALICE, { ...page, from: newest.next })
    assert.deepEqual(
      next.entries.map(({ messageId }) => messageId),
      [ids[2], ids[1]],
    )
  })

  it('finds old entries behind a thousand newer ones', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const messages = await givenMany(store, inbox.id)
    const rare = [0, 1, 200, 201, 202, 700, 1_200].map((place) => messages[place]?.id)
    const entries = messages.map((message) => ({
      message,
      text: rare.includes(message.id) ? 'a rare text' : 'a common text',
    }))
    await store.transaction((tx) => tx.search.add(entries))
    assert.deepEqual(await found(store, ['rare']), rare.toReversed())
    const newest = messages.slice(-100).map(({ id }) => id)
    assert.deepEqual(await found(store, ['text']), newest.toReversed())
    assert.deepEqual(await listAll(store.search, ['rare', 'text']), rare.toReversed())
  })

  it('knows what it lacks, and adds nothing twice', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { messageId: first } = await givenMail(store, inbox.id)
    assert.equal((await store.search.listUnindexed(10)).length, 1)
    const lacking = await store.search.listUnindexed(10)
    await indexAll(store, 'one')
    await store.transaction((tx) =>
      tx.search.add(lacking.map((message) => ({ message, text: 'one' }))),
    )
    assert.deepEqual(await found(store, ['one']), [first])
    assert.deepEqual(await store.search.listUnindexed(10), [])
    assert.equal(await store.search.oldestUnindexedAt(), null)
    const lastNumber = await store.search.lastNumber()
    const { messageId: second } = await givenMail(store, inbox.id)
    const listNew = (page: { lastNumber: number; before: string | null }) =>
      store.search.listNew(ALICE, { ...page, limit: 10 })
    assert.deepEqual(await listNew({ lastNumber, before: null }), [second])
    assert.deepEqual(await listNew({ lastNumber, before: second }), [])
    assert.deepEqual(await store.search.listNew(BOB, { lastNumber, before: null, limit: 10 }), [])
    await indexAll(store, 'two')
    // For a search that began before.
    assert.deepEqual(await listNew({ lastNumber, before: null }), [second])
    const newNumber = await store.search.lastNumber()
    assert.deepEqual(await listNew({ lastNumber: newNumber, before: null }), [])
    await store.transaction((tx) => tx.search.setIndexedTo('msg_z'))
    assert.deepEqual(await listNew({ lastNumber: 0, before: null }), [])
  })

  it('lists new messages behind those of another account', async () => {
    const store = await open()
    const bob = await givenInbox(store, { owner: BOB })
    await givenMany(store, bob.id, 6_001)
    const alice = await givenInbox(store, { owner: ALICE })
    const { messageId } = await givenMail(store, alice.id)
    // Older than the others.
    await store.execute(`update message set id = 'msg_0' where id = '${messageId}'`)
    const page = { lastNumber: 0, before: null, limit: 10 }
    assert.deepEqual(await store.search.listNew(ALICE, page), ['msg_0'])
  })

  it('forgets messages that are deleted, and inboxes that are purged', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: ALICE })
    const [deleted, kept] = await index(store, [
      [inbox.id, 'welcome'],
      [inbox.id, 'welcome'],
      [other.id, 'welcome'],
    ])
    assert.ok(deleted !== undefined)
    await store.deleteMessages(ALICE, inbox.id, [deleted])
    await store.purgeInbox(ALICE, { id: other.id, now: 0 })
    assert.deepEqual(await found(store, ['welcome']), [kept])
    // A number that is used again must not find what it stood for before.
    await index(store, [[inbox.id, 'goodbye']])
    assert.deepEqual(await found(store, ['welcome']), [kept])
  })

  it('is written by one node at a time', async () => {
    const store = await open()
    assert.ok(await store.search.lease('a', 1_000, 2_000))
    assert.equal(await store.search.lease('b', 1_999, 3_000), false)
    assert.ok(await store.search.lease('a', 1_999, 2_500))
    assert.ok(await store.search.lease('b', 2_500, 3_000))
  })

  if (database !== 'PostgreSQL') return

  it('does not wait for messages that are being deleted', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { messageId: first } = await givenMail(store, inbox.id)
    const { messageId: second } = await givenMail(store, inbox.id)
    const messages = await store.search.listUnindexed(10)
    const entries = messages.map((message) => ({ message, text: 'welcome' }))
    await store.transaction(async (tx) => {
      await tx.messageChanges.delete(ALICE, inbox.id, [second])
      const added = await store.transaction((other) => other.search.add(entries))
      assert.deepEqual([...added], [first])
      assert.deepEqual(await found(store, ['welcome']), [first])
      await tx.messageChanges.delete(ALICE, inbox.id, [first])
    })
    assert.deepEqual(await found(store, ['welcome']), [])
  })
})
