import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountId, KeyId, MessageId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  givenMail,
  givenRefusal,
  NOW,
} from '../../../test/testing-store.ts'
import { turnsDuring } from '../../../test/testing-turns.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { Subscriptions } from '../waiting/subscriptions.ts'
import { countsOf } from './collect-changes.ts'
import { AccountFeeds } from './feeds.ts'
import { openAccountStream } from './open-stream.ts'

const KEY = { keyId: 'key_1' as KeyId, keyPrefix: 'mf_live_1' } // A brand by hand.
// A caller by hand: a stream only reads its account and its key.
const CALLER = { accountId: ALICE, ...KEY } as Caller

/** Feeds of a store, with a clock that is set by hand. */
function given(store: Store) {
  let now = NOW
  const errors: unknown[] = []
  const watched: AccountId[] = []
  const accountSubscriptions = new Subscriptions<AccountId>()
  const clock = { now: () => now }
  const feeds = new AccountFeeds({
    ...{ store, clock },
    subscriptions: accountSubscriptions,
    newFeedId: () => 'feed',
    newStageId: () => 'dia_',
    openWaits: () => [],
    onWatched: (accountId) => watched.push(accountId),
    onError: (error) => errors.push(error),
  })
  const gone = new AbortController()
  const takeStreamSlot = async () => ({ [Symbol.asyncDispose]: async () => {} })
  const deps = { store, clock, feeds, accountSubscriptions, takeStreamSlot }
  return {
    feeds,
    errors,
    watched,
    gone,
    open: (lastEventId: string | null = null) =>
      openAccountStream(deps, CALLER, { inboxId: null, lastEventId, gone: gone.signal }),
    pass: async (ms: number) => {
      now += ms
      await feeds.tick()
    },
  }
}

describeEachDatabase('the feed of an account', (open) => {
  it('finds what was not announced', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { open: openStream, pass, feeds } = given(store)
    const stream = await openStream()
    await givenMail(store, inbox.id)
    const created = await givenInbox(store, { owner: ALICE })
    await givenInbox(store, { owner: BOB })
    await pass(5_000)
    const two = [(await stream.next()).value, (await stream.next()).value]
    assert.deepEqual(two.map((sent) => sent?.event).sort(), ['inbox.created', 'message.received'])
    await store.purgeInbox(ALICE, { id: created.id, now: NOW })
    await pass(5_000)
    const { value } = await stream.next()
    assert.deepEqual(
      [value?.event, value?.json],
      ['inbox.deleted', JSON.stringify({ inboxId: created.id })],
    )
    await stream.return(undefined)
    await feeds.stop()
  })

  it('is not closed as unused while its first stream opens', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { open: openStream, feeds } = given(store)
    const ticks: Promise<void>[] = []
    const { inboxes } = store
    const listUnexpired = inboxes.listUnexpired.bind(inboxes)
    inboxes.listUnexpired = async (...request) => {
      const found = await listUnexpired(...request)
      if (ticks.length < 2) ticks.push(feeds.tick())
      return found
    }
    const stream = await openStream()
    await Promise.all(ticks)
    assert.equal(ticks.length, 2)
    await givenMail(store, inbox.id)
    feeds.wake([inbox.id])
    assert.equal(feeds.isEmpty, false)
    assert.equal((await stream.next()).value?.event, 'message.received')
    await stream.return(undefined)
    await feeds.stop()
  })

  it('tells of a deletion after the arrival that it was signalled during', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const reading = Promise.withResolvers<void>()
    const deleted = Promise.withResolvers<void>()
    const messages: Store['messages'] = Object.create(store.messages, {
      listAfter: {
        value: async (...request: Parameters<Store['messages']['listAfter']>) => {
          const found = await store.messages.listAfter(...request)
          reading.resolve()
          await deleted.promise
          return found
        },
      },
    })
    const { open: openStream, feeds } = given({ ...store, messages })
    const stream = await openStream()
    const { messageId } = await givenMail(store, inbox.id)
    feeds.wake([inbox.id])
    await reading.promise
    const signal = { accountId: ALICE, inboxId: inbox.id, messageIds: [messageId] }
    const received = feeds.receive({ ...signal, about: 'messages', change: 'deleted' })
    deleted.resolve()
    await received
    const two = [(await stream.next()).value, (await stream.next()).value]
    assert.deepEqual(
      two.map((sent) => sent?.event),
      ['message.received', 'message.deleted'],
    )
    await stream.return(undefined)
    await feeds.stop()
  })

  it('tells of a deletion after the update that it was signalled during', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { messageId } = await givenMail(store, inbox.id)
    const deleted = Promise.withResolvers<void>()
    const messages: Store['messages'] = Object.create(store.messages, {
      listByIds: {
        value: async (...request: Parameters<Store['messages']['listByIds']>) => {
          const found = await store.messages.listByIds(...request)
          await deleted.promise
          return found
        },
      },
    })
    const { open: openStream, feeds } = given({ ...store, messages })
    const stream = await openStream()
    const signal = { accountId: ALICE, inboxId: inbox.id, messageIds: [messageId] }
    const both = [
      feeds.receive({ ...signal, about: 'messages', change: 'read' }),
      feeds.receive({ ...signal, about: 'messages', change: 'deleted' }),
    ]
    // Long enough for the deletion to be added, if nothing held it.
    await store.ping()
    deleted.resolve()
    await Promise.all(both)
    const two = [(await stream.next()).value, (await stream.next()).value]
    assert.deepEqual(
      two.map((sent) => sent?.event),
      ['message.updated', 'message.deleted'],
    )
    await stream.return(undefined)
    await feeds.stop()
  })

  it('ends with the numbers that the inbox has, in whatever order its changes are read', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { open: openStream, feeds } = given(store)
    const stream = await openStream()
    const received: Promise<void>[] = []
    for (let i = 0; i < 5; i++) {
      const { messageId } = await givenMail(store, inbox.id)
      feeds.wake([inbox.id])
      if (i % 2 === 1) continue
      await store.deleteMessages(ALICE, inbox.id, [messageId])
      const signal = { accountId: ALICE, inboxId: inbox.id, messageIds: [messageId] }
      received.push(feeds.receive({ ...signal, about: 'messages', change: 'deleted' }))
    }
    await Promise.all(received)
    await givenRefusal(store, inbox.id, { at: NOW, detail: 'last' })
    feeds.wake([inbox.id])
    const sent = []
    for (let event = ''; event !== 'diagnostics'; ) {
      const { value } = await stream.next()
      event = value?.event ?? 'diagnostics'
      sent.push(JSON.parse(value?.json ?? '').inbox)
    }
    const [position] = await store.inboxes.listPositions([inbox.id])
    assert.ok(position !== undefined && position.messageCount !== 0)
    assert.deepEqual(sent.at(-2), countsOf(position))
    await stream.return(undefined)
    await feeds.stop()
  })

  it('tells once that an inbox has expired, also while its mail is read', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, expiresAt: NOW + 1_000 })
    const reading = Promise.withResolvers<void>()
    const expired = Promise.withResolvers<void>()
    const messages: Store['messages'] = Object.create(store.messages, {
      listAfter: {
        value: async (...request: Parameters<Store['messages']['listAfter']>) => {
          reading.resolve()
          await expired.promise
          return await store.messages.listAfter(...request)
        },
      },
    })
    const { open: openStream, pass, feeds } = given({ ...store, messages })
    const stream = await openStream()
    await givenMail(store, inbox.id)
    feeds.wake([inbox.id])
    await reading.promise
    await pass(1_000)
    expired.resolve()
    const types = [(await stream.next()).value?.event, (await stream.next()).value?.event]
    assert.deepEqual(types, ['inbox.expired', 'message.received'])
    await pass(0)
    await store.purgeInbox(ALICE, { id: inbox.id, now: NOW })
    feeds.wake([inbox.id])
    assert.equal((await stream.next()).value?.event, 'inbox.deleted')
    await stream.return(undefined)
    await feeds.stop()
  })

  it('tells each stage once when transactions end in another order than they began', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { open: openStream, feeds } = given(store)
    const stream = await openStream()
    const next = async () => JSON.parse((await stream.next()).value?.json ?? '').event.detail
    await givenRefusal(store, inbox.id, { at: NOW, detail: 'first' })
    feeds.wake([inbox.id])
    assert.equal(await next(), 'first')
    await givenRefusal(store, inbox.id, { at: NOW - 1_000, detail: 'late' })
    await givenRefusal(store, inbox.id, { at: NOW + 1, detail: 'last' })
    feeds.wake([inbox.id])
    assert.equal(await next(), 'late')
    assert.equal(await next(), 'last')
    await stream.return(undefined)
    await feeds.stop()
  })

  it('tells a stream that was too slow, and goes on', async () => {
    const store = await open()
    const { open: openStream, feeds, gone } = given(store)
    const stream = await openStream()
    const feed = await feeds.open(ALICE)
    const inboxId = (await givenInbox(store, { owner: ALICE })).id
    const add = () => feed.add({ type: 'inbox.expired', inboxId })
    add()
    assert.equal((await stream.next()).value?.id, 'feed-1')
    for (let i = 0; i < 1_001; i++) add()
    const reset = (await stream.next()).value
    assert.deepEqual([reset?.event, reset?.json], ['reset', '{"reason":"too_slow"}'])
    add()
    assert.equal((await stream.next()).value?.id, 'feed-1003')

    const resumed = await openStream('feed-4')
    assert.equal((await resumed.next()).value?.id, 'feed-5')
    const lost = await openStream('feed-2')
    assert.equal((await lost.next()).value?.json, '{"reason":"not_resumable"}')
    gone.abort()
    for (const one of [stream, resumed, lost]) await one.return(undefined)
  })

  it('is kept for a minute after its last stream', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, expiresAt: NOW + 86_400_000 })
    const { open: openStream, feeds, pass } = given(store)
    const stream = await openStream()
    await givenMail(store, inbox.id)
    await pass(5_000)
    const { value } = await stream.next()
    await stream.return(undefined)
    await pass(59_000)
    assert.equal(feeds.isEmpty, false)
    await givenMail(store, inbox.id)
    await pass(0)
    const again = await openStream(value?.id)
    await pass(5_000)
    assert.equal((await again.next()).value?.event, 'message.received')
    await again.return(undefined)
    await pass(60_000)
    assert.equal(feeds.isEmpty, true)
    await feeds.stop()
  })

  it('is asked for again when signals of other nodes were lost', async () => {
    const { open: openStream, feeds, watched } = given(await open())
    const stream = await openStream()
    assert.deepEqual(watched.splice(0), [ALICE])
    feeds.reset()
    assert.deepEqual(watched, [ALICE])
    assert.equal((await stream.next()).value?.json, '{"reason":"connection_lost"}')
    await stream.return(undefined)
    await feeds.stop()
  })

  it('says that events may be missing when the storage fails', async () => {
    const store = await open()
    const {
      open: openStream,
      feeds,
      errors,
    } = given({
      ...store,
      get messages(): Store['messages'] {
        throw new Error('the storage failed')
      },
    })
    const inboxId = (await givenInbox(store, { owner: ALICE })).id
    const stream = await openStream()
    const { messageId } = await givenMail(store, inboxId)
    const changed = { about: 'messages', change: 'read', messageIds: [messageId] } as const
    await feeds.receive({ accountId: ALICE, inboxId, ...changed })
    assert.equal((await stream.next()).value?.event, 'reset')
    assert.equal(errors.length, 1)
    await stream.return(undefined)
    await feeds.stop()
  })

  it('reads the updates of a signal together, and one signal a turn', async () => {
    const store = await open()
    const { open: openStream, feeds } = given(store)
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    const stream = await openStream()
    const sent: MessageId[] = []
    for (let i = 0; i < 6; i++) sent.push((await givenMail(store, inboxId)).messageId)
    const { messages } = store
    let queries = 0
    const listByIds = messages.listByIds.bind(messages)
    messages.listByIds = async (...request) => {
      queries += 1
      return listByIds(...request)
    }
    const changed = { accountId: ALICE, inboxId, about: 'messages', change: 'read' } as const
    const turns = await turnsDuring(() =>
      Promise.all([
        feeds.receive({ ...changed, messageIds: sent.slice(0, 3) }),
        feeds.receive({ ...changed, messageIds: sent.slice(3) }),
      ]),
    )
    assert.ok(turns > 0)
    assert.equal(queries, 2)
    const updated = []
    while (updated.length < 6) {
      const { value } = await stream.next()
      assert.ok(value)
      if (value.event === 'message.updated') updated.push(JSON.parse(value.json).message.id)
    }
    assert.deepEqual(updated.toSorted(), sent.toSorted())
    await stream.return(undefined)
    await feeds.stop()
  })
})
