import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId, MessageId } from '@mayfly/contract'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { createContent } from '../../src/app/content.ts'
import { ServiceError, StorageUnavailable } from '../../src/errors.ts'
import type { Caller } from '../../src/features/accounts/authenticate.ts'
import { writeMessage } from '../../src/features/messages/read.ts'
import { SingleFlight } from '../../src/features/waiting/single-flight.ts'
import { Subscriptions } from '../../src/features/waiting/subscriptions.ts'
import { ArrivalSweep } from '../../src/features/waiting/sweep.ts'
import { findWithin, respondToWait } from '../../src/features/waiting/wait.ts'
import { createLog } from '../../src/platform/log.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { ALICE, describeEachDatabase, givenInbox, givenMail, NOW } from '../testing-store.ts'
import { startTcpProxy } from '../testing-tcp-proxy.ts'

/** Rounds in `npm test`; the long form has 100,000. */
const ROUNDS = soakRounds({ short: 200, long: 100_000 })

// A caller by hand: the wait only reads its account.
const CALLER = { accountId: ALICE } as Parameters<typeof findWithin>[1]

describeEachDatabase('waits against arrivals', (open) => {
  it(`misses none in ${ROUNDS} random interleavings`, async () => {
    const store = await open()
    const subscriptions = new Subscriptions<InboxId>()
    const deps = findDeps(store, subscriptions)
    const inbox = await givenInbox(store, { owner: ALICE })
    const gone = new AbortController().signal
    const progress = soakProgress('waits against arrivals', ROUNDS)
    for (let round = 0; round < ROUNDS; round++) {
      progress(round)
      const afterSequence =
        (await store.inboxes.findProgress(ALICE, inbox.id, 0))?.lastSequence ?? 0
      const filter = { after: String(afterSequence) }
      const wait = async () => {
        await turns(Math.floor(Math.random() * 4))
        // Far longer than any round: a missed arrival fails the test by its time.
        const request = { inboxId: inbox.id, filter, timeoutMs: 60_000, gone }
        const id = await findWithin(deps, CALLER, request)
        return id && store.messages.find(ALICE, inbox.id, id)
      }
      const arrive = async () => {
        await turns(Math.floor(Math.random() * 4))
        await givenMail(store, inbox.id)
        subscriptions.wake([inbox.id])
      }
      const [found] = await Promise.all([wait(), arrive()])
      assert.equal(found?.sequence, afterSequence + 1)
    }
    assert.equal(subscriptions.size, 0)
  })

  it('goes on when the message that it has found is deleted before it is read', async () => {
    const store = await open()
    const subscriptions = new Subscriptions<InboxId>()
    const inbox = await givenInbox(store, { owner: ALICE })
    const first = await givenMail(store, inbox.id)
    const read: MessageId[] = []
    const deps = {
      ...findDeps(store, subscriptions),
      elapsedMs: () => 0,
      takeWaitSlot: async () => ({ [Symbol.asyncDispose]: async () => {} }),
      explainWait: () => Promise.reject(new Error('the wait found nothing')),
      writeMessage: async (_caller: Caller, { messageId }: { readonly messageId: MessageId }) => {
        read.push(messageId)
        if (read.length > 1) return Buffer.from(messageId)
        await store.deleteMessages(ALICE, inbox.id, [messageId])
        setImmediate(async () => {
          await givenMail(store, inbox.id)
          subscriptions.wake([inbox.id])
        })
        throw new ServiceError('message_not_found')
      },
    }
    const gone = new AbortController().signal
    const request = { inboxId: inbox.id, filter: {}, timeoutMs: 60_000, gone }
    const body = await respondToWait(deps, CALLER, request)
    assert.deepEqual(read, [first.messageId, body.toString()])
    assert.equal(subscriptions.size, 0)
  })

  it('finds by the sweep what was never announced', async () => {
    const store = await open()
    const subscriptions = new Subscriptions<InboxId>()
    const sweep = new ArrivalSweep()
    const inbox = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: ALICE })
    const gone = new AbortController()
    const request = { filter: {}, timeoutMs: 60_000, gone: gone.signal }
    const deps = findDeps(store, subscriptions)
    const waiting = findWithin(deps, CALLER, { ...request, inboxId: inbox.id })
    const elsewhere = findWithin(deps, CALLER, { ...request, inboxId: other.id })
    await sweep.run(deps)
    await givenMail(store, inbox.id)
    await sweep.run(deps)
    assert.notEqual(await waiting, null)
    gone.abort()
    assert.equal(await elsewhere, null)
  })
})

/** Rounds with broken connections in `npm test`; in the long form 2,000. */
const BROKEN_ROUNDS = soakRounds({ short: 20, long: 2_000 })

onEachDatabase('waits over connections that break', (create, name) => {
  if (name !== 'PostgreSQL') return

  it(`find the mail that each asked for, in ${BROKEN_ROUNDS} rounds`, async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    await using stores = new AsyncDisposableStack()
    const open = async (url: string) =>
      stores.adopt(await openStore({ url, exclusive: false }), (opened) => opened.close())
    const direct = await open(database.url)
    const store = await open(proxy.url)
    const email = 'alice@example.com'
    await direct.accounts.add({ id: ALICE, email, name: null, plan: 'unlimited', createdAt: 0 })
    const subscriptions = new Subscriptions<InboxId>()
    const deps = responseDeps(store, subscriptions)
    const gone = new AbortController().signal
    const progress = soakProgress('waits over connections that break', BROKEN_ROUNDS)
    for (let round = 0; round < BROKEN_ROUNDS; round++) {
      progress(round)
      const inbox = await givenInbox(direct, { owner: ALICE })
      const words = ['one', 'two', 'three', 'four', 'five'].map((word) => `${word} ${round}.`)
      /** Waits as clients do: again when the storage did not answer. */
      const wait = async (textContains: string): Promise<string> => {
        await turns(Math.floor(Math.random() * 8))
        const request = { inboxId: inbox.id, filter: { textContains }, timeoutMs: 60_000, gone }
        try {
          const json = Buffer.from(await respondToWait(deps, CALLER, request))
          return JSON.parse(json.toString()).message.text
        } catch (error) {
          if (!(error instanceof StorageUnavailable)) throw error
          return wait(textContains)
        }
      }
      const arrive = async (text: string) => {
        await turns(Math.floor(Math.random() * 8))
        await givenMail(direct, inbox.id, { text })
        subscriptions.wake([inbox.id])
        if (Math.random() < 0.3) proxy.failAll('cut')
      }
      const waits = Promise.all(words.map(wait))
      for (const word of words.toReversed()) await arrive(word)
      assert.deepEqual(await waits, words)
    }
    assert.equal(subscriptions.size, 0)
  })
})

/** The same for waits that respond with the message. */
function responseDeps(store: Store, subscriptions: Subscriptions<InboxId>) {
  const deps = findDeps(store, subscriptions)
  const messages = {
    ...{ store, content: deps.content, clock: { now: () => NOW } },
    ...{ baseUrl: () => 'http://localhost', onFirstRead: () => {} },
  }
  return {
    ...deps,
    elapsedMs: () => 0,
    takeWaitSlot: async () => ({ [Symbol.asyncDispose]: async () => {} }),
    explainWait: () => Promise.reject(new Error('the wait found nothing')),
    writeMessage: (caller: Caller, request: Parameters<typeof writeMessage>[2]) =>
      writeMessage(messages, caller, request),
  }
}

function findDeps(store: Store, subscriptions: Subscriptions<InboxId>) {
  const content = createContent(store, createLog('warn'))
  const registerWait = () => ({ [Symbol.dispose]: () => {} })
  const clock = { now: () => 0 }
  return {
    ...{ store, clock, subscriptions, content, registerWait },
    singleFlight: new SingleFlight(),
  }
}

/** Lets the loop turn this often. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
