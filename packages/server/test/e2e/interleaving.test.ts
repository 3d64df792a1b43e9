import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId, MessageId } from '@mayfly/contract'
import { SingleFlight } from '../../src/features/waiting/single-flight.ts'
import { InboxSubscriptions } from '../../src/features/waiting/subscriptions.ts'
import { ArrivalSweep } from '../../src/features/waiting/sweep.ts'
import { findWithin } from '../../src/features/waiting/wait.ts'
import type { Store, Tables } from '../../src/store/open.ts'
import { ALICE, describeEachDatabase, givenInbox } from '../testing-store.ts'

/** Rounds in `npm test`; the long form has 100,000. */
const ROUNDS = process.env['SOAK'] === undefined ? 500 : 100_000

// A caller by hand: the wait only reads its account.
const CALLER = { accountId: ALICE } as Parameters<typeof findWithin>[1]

let mails = 0

/** Stores a mail as receiving does, without announcing it. */
async function storeMail(store: Store, inboxId: InboxId): Promise<void> {
  mails += 1
  const mail = {
    id: `eml_${mails}`,
    receivedAt: mails,
    from: { name: null, address: null },
    subject: null,
    preview: null,
    text: null,
    html: null,
    otp: null,
    content: {
      ...{ to: [], cc: [], replyTo: [], sentAt: null, links: [], headers: [], defects: [] },
      envelope: { mailFrom: '', remoteAddress: '', helo: null, tls: null },
    },
    transcript: [],
    raw: { encoding: 'identity', bytes: new Uint8Array(1) },
    sizeBytes: 1,
    attachments: [],
  } as const
  await store.transaction(async (tx: Tables) => {
    const [inbox] = await tx.receiving.lockInboxes([inboxId])
    if (inbox === undefined) throw new Error('no inbox')
    const sequence = inbox.lastSequence + 1
    // A brand by hand: any unique text will do.
    const id = `msg_${mails}` as MessageId
    await tx.mails.add([mail], [{ id, inboxId, recipient: '', sequence, mail }])
    await tx.receiving.setFill([{ ...inbox, lastSequence: sequence }])
  })
}

describeEachDatabase('waits against arrivals', (open) => {
  it(`misses none in ${ROUNDS} random interleavings`, async () => {
    const store = await open()
    const subscriptions = new InboxSubscriptions()
    const singleFlight = new SingleFlight()
    const inbox = await givenInbox(store, { owner: ALICE })
    const gone = new AbortController().signal
    for (let round = 0; round < ROUNDS; round++) {
      const afterSequence = (await store.inboxes.lastSequence(ALICE, inbox.id)) ?? 0
      const filter = { after: String(afterSequence) }
      const wait = async () => {
        await turns(Math.floor(Math.random() * 4))
        // Far longer than any round: a missed arrival fails the test by its time.
        const request = { inboxId: inbox.id, filter, timeoutMs: 60_000, gone }
        return findWithin({ store, subscriptions, singleFlight }, CALLER, request)
      }
      const arrive = async () => {
        await turns(Math.floor(Math.random() * 4))
        await storeMail(store, inbox.id)
        subscriptions.wake([inbox.id])
      }
      const [found] = await Promise.all([wait(), arrive()])
      assert.equal(found?.sequence, afterSequence + 1)
    }
    assert.equal(subscriptions.size, 0)
  })

  it('finds by the sweep what was never announced', async () => {
    const store = await open()
    const subscriptions = new InboxSubscriptions()
    const singleFlight = new SingleFlight()
    const sweep = new ArrivalSweep()
    const inbox = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: ALICE })
    const gone = new AbortController()
    const request = { filter: {}, timeoutMs: 60_000, gone: gone.signal }
    const deps = { store, subscriptions, singleFlight }
    const waiting = findWithin(deps, CALLER, { ...request, inboxId: inbox.id })
    const elsewhere = findWithin(deps, CALLER, { ...request, inboxId: other.id })
    await sweep.run(deps)
    await storeMail(store, inbox.id)
    await sweep.run(deps)
    assert.equal((await waiting)?.inboxId, inbox.id)
    gone.abort()
    assert.equal(await elsewhere, null)
  })
})

/** Lets the loop turn this often. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
