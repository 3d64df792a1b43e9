import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import { ALICE, BOB, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'
import type { Store } from '../open.ts'

const LATER = NOW + 3_000

/** Spools mails of an account, for a new inbox. */
async function givenSpooled(
  store: Store,
  owner: AccountId,
  { ids, node = 'a' }: { readonly ids: readonly string[]; readonly node?: string },
) {
  const inbox = await givenInbox(store, { owner })
  const mails = ids.map((id) => {
    const content = Buffer.from(`content of ${id}`)
    return { id, accountId: owner, inboxId: inbox.id, content }
  })
  await store.spools.mails.add(mails, node)
  return inbox
}

const by = (node: string, now = NOW) => ({ node, now, limit: 10 })

describeEachDatabase('spooled mails', (open, database) => {
  if (database !== 'PostgreSQL') return

  it('are taken once, and are of one account and inbox until then', async () => {
    const store = await open()
    const { mails } = store.spools
    const inbox = await givenSpooled(store, ALICE, { ids: ['1', '2'] })
    const other = await givenInbox(store, { owner: ALICE })
    const listAll = async () => {
      const lists = await Promise.all([
        mails.listOf(ALICE),
        mails.listOf(ALICE, inbox.id),
        mails.listOf(ALICE, other.id),
        mails.listOf(BOB),
      ])
      return lists.map((ids) => ids.toSorted())
    }
    assert.deepEqual(await listAll(), [['1', '2'], ['1', '2'], [], []])
    const found = await store.receiving.listRecipients([inbox.address, other.address])
    assert.deepEqual(
      found.map((recipient) => recipient?.hasSpooledMail),
      [true, false],
    )
    assert.deepEqual(await mails.take(['1', '3']), new Set(['1']))
    assert.deepEqual(await mails.listUnstored(['1', '2', '3']), ['2'])
    assert.deepEqual(await mails.take(['1', '2']), new Set(['2']))
    assert.deepEqual(await listAll(), [[], [], [], []])
  })

  it('of two transactions are taken by one, or by the other when that fails', async () => {
    const store = await open()
    const { mails } = store.spools
    await givenSpooled(store, ALICE, { ids: ['1', '2'] })
    const failure = new Error('rolled back')
    const taken = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const first = store.transaction(async (tx) => {
      await tx.spools.mails.take(['1'])
      taken.resolve()
      await ended.promise
      throw failure
    })
    await taken.promise
    const second = mails.take(['1'])
    ended.resolve()
    await assert.rejects(first, failure)
    assert.deepEqual(await second, new Set(['1']))
  })

  it('are taken over from nodes without a lease', async () => {
    const store = await open()
    const { mails } = store.spools
    await givenSpooled(store, ALICE, { ids: ['2', '1'], node: 'a' })
    await givenSpooled(store, ALICE, { ids: ['3'], node: 'b' })
    await mails.lease('a', LATER)
    const left = await mails.takeLeft(by('c'))
    assert.deepEqual(
      left.map(({ id, content, tries }) => [id, content.toString(), tries]),
      [['3', 'content of 3', 1]],
    )
    await mails.lease('c', LATER)
    assert.deepEqual(await mails.takeLeft(by('d')), [])
    const later = await mails.takeLeft(by('d', LATER))
    assert.deepEqual(
      later.map(({ id, tries }) => [id, tries]),
      [
        ['1', 1],
        ['2', 1],
        ['3', 2],
      ],
    )
    await mails.lease('d', LATER + 10)
    assert.deepEqual(await mails.takeLeft(by('e', LATER)), [])
    await mails.endLeases('d', LATER)
    assert.equal((await mails.takeLeft(by('e', LATER))).length, 3)
  })

  it('are tried three times, and hold up nobody when they are set aside', async () => {
    const store = await open()
    const { mails } = store.spools
    await givenSpooled(store, ALICE, { ids: ['1'] })
    await givenSpooled(store, BOB, { ids: ['2'] })
    await mails.setAside('2')
    for (const node of ['b', 'c', 'd']) {
      assert.deepEqual(await mails.listOf(ALICE), ['1'])
      assert.deepEqual(
        (await mails.takeLeft(by(node))).map(({ id }) => id),
        ['1'],
      )
    }
    assert.deepEqual(await mails.takeLeft(by('e')), [])
    assert.deepEqual([await mails.listOf(ALICE), await mails.listOf(BOB)], [[], []])
    assert.deepEqual(await mails.listUnstored(['1', '2']), [])
    assert.deepEqual(await mails.take(['1', '2']), new Set(['1', '2']))
  })

  it('are taken over from anybody when they are wanted', async () => {
    const store = await open()
    const { mails } = store.spools
    const { id: inboxId } = await givenSpooled(store, ALICE, { ids: ['1'] })
    await givenSpooled(store, ALICE, { ids: ['2'] })
    await givenSpooled(store, BOB, { ids: ['3'] })
    await mails.lease('a', LATER)
    const to = { node: 'b', limit: 10 }
    const idsOf = (taken: readonly { readonly id: string }[]) => taken.map(({ id }) => id)
    assert.deepEqual(idsOf(await mails.takeWanted({ accountId: ALICE, inboxId }, to)), ['1'])
    assert.deepEqual(idsOf(await mails.takeWanted({ accountId: BOB, inboxId }, to)), [])
    const [second, ...others] = await mails.takeWanted({ accountId: ALICE }, to)
    assert.deepEqual([second?.id, second?.tries, others], ['2', 0, []])
    assert.deepEqual(idsOf(await mails.takeLeft(by('c'))), ['1', '2'])
  })
})
