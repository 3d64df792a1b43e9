import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId, MessageId } from '@mayfly/contract'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { createContent } from '../../src/app/content.ts'
import { ServiceError } from '../../src/errors.ts'
import type { Caller } from '../../src/features/accounts/authenticate.ts'
import { SingleFlight } from '../../src/features/waiting/single-flight.ts'
import { Subscriptions } from '../../src/features/waiting/subscriptions.ts'
import { ArrivalSweep } from '../../src/features/waiting/sweep.ts'
import { findWithin, respondToWait } from '../../src/features/waiting/wait.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Store } from '../../src/store/open.ts'
import { ALICE, describeEachDatabase, givenInbox, givenMail } from '../testing-store.ts'

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
      const afterSequence = (await store.inboxes.lastSequence(ALICE, inbox.id)) ?? 0
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

function findDeps(store: Store, subscriptions: Subscriptions<InboxId>) {
  const content = createContent(store, createLog('warn'))
  const registerWait = () => ({ [Symbol.dispose]: () => {} })
  return { store, subscriptions, singleFlight: new SingleFlight(), content, registerWait }
}

/** Lets the loop turn this often. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
