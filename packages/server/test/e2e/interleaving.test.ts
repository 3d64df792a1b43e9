import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { createContent } from '../../src/assembly/content.ts'
import { AnnouncedMessages } from '../../src/features/waiting/announced-messages.ts'
import { SingleFlight } from '../../src/features/waiting/single-flight.ts'
import { Subscriptions } from '../../src/features/waiting/subscriptions.ts'
import { ArrivalSweep } from '../../src/features/waiting/sweep.ts'
import { findWithin } from '../../src/features/waiting/wait.ts'
import type { Store } from '../../src/store/open.ts'
import { ALICE, describeEachDatabase, givenInbox, givenMail, NOW } from '../testing-store.ts'

/** Rounds in `npm test`; the long form has 100,000. */
const ROUNDS = soakRounds({ short: 200, long: 100_000 })

// A caller by hand: the wait only reads its account.
const CALLER = { accountId: ALICE } as Parameters<typeof findWithin>[1]

describeEachDatabase('waits against arrivals', (open) => {
  it(`misses none in ${ROUNDS} random interleavings`, async () => {
    const store = await open()
    const subscriptions = new Subscriptions<InboxId>()
    const announced = new AnnouncedMessages()
    const deps = findDeps(store, subscriptions, announced)
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
        const { messageId: id, mailId } = await givenMail(store, inbox.id)
        // Half of the announcements have the message, as from a thread of the same node.
        if (Math.random() < 0.5) {
          const sequence = afterSequence + 1
          const about = { accountId: ALICE, inboxId: inbox.id, receivedAt: NOW, otp: null }
          announced.add([{ ...about, id, mailId, sequence, body: null }])
        }
        subscriptions.wake([inbox.id])
      }
      const [found] = await Promise.all([wait(), arrive()])
      assert.equal(found?.sequence, afterSequence + 1)
    }
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

function findDeps(
  store: Store,
  subscriptions: Subscriptions<InboxId>,
  announced = new AnnouncedMessages(),
) {
  const { findMatch } = createContent(store)
  const hold = () => ({ [Symbol.dispose]: () => {} })
  const caughtUp = () => null
  const singleFlight = new SingleFlight()
  return { store, subscriptions, announced, singleFlight, findMatch, hold, caughtUp }
}

/** Lets the loop turn this often. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
