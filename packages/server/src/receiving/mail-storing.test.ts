import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import fc from 'fast-check'
import { createTestLog } from '../../test/testing-log.ts'
import { receivedMail } from '../../test/testing-received-mail.ts'
import { StorageUnavailable, ThreadEnded } from '../errors.ts'
import { MailStoring, type StoreBatch } from './mail-storing.ts'
import type { MailToStore } from './received-mail.ts'
import type { StoredMail, StoreOptions } from './store-mails.ts'

const STORED: StoredMail = { state: 'stored', messageId: null, fullInboxes: [], sizeBytes: 1 }

const unavailable = (cause: string, full = false, isUncertain = false) =>
  new StorageUnavailable(new Error(cause), full, isUncertain)

const idOf = (mail: MailToStore) => ('mail' in mail ? mail.mail.id : mail.id)

type Call = { readonly ids: string; readonly options: StoreOptions }

/** Storing over a store that does what `storeBatch` says, from the first call on. */
function givenStoring(
  storeBatch: (ids: string, number: number) => Promise<unknown> | unknown = () => {},
  changes: Partial<ConstructorParameters<typeof MailStoring>[0]> = {},
) {
  const calls: Call[] = []
  const { log, messages } = createTestLog()
  const store: StoreBatch = async (batch, options) => {
    const ids = batch.map(idOf).join(' ')
    calls.push({ ids, options })
    const results = await storeBatch(ids, calls.length)
    // A test gives results only where they differ.
    return (results ?? batch.map(() => STORED)) as Awaited<ReturnType<StoreBatch>>
  }
  const storing = new MailStoring({
    storeBatch: store,
    ping: async () => {},
    batchMax: { mails: 3, bytes: 1_000 },
    uncertainMsMax: 0,
    log,
    ...changes,
  })
  const mail = (id: string, bytes = 1) => receivedMail({ id, raw: Buffer.alloc(bytes) })
  const outcome = (stored: Promise<StoredMail>) =>
    stored.then(
      ({ state }): string => state,
      (error: Error) => error.message,
    )
  return {
    storing,
    calls,
    messages,
    batches: () => calls.map(({ ids }) => ids),
    store: (id: string, bytes?: number) => storing.store(mail(id, bytes)),
    outcomes: (...ids: readonly string[]) =>
      Promise.all(ids.map((id) => outcome(storing.store(mail(id))))),
  }
}

describe('storing mails', () => {
  it('stores together what is ready at once, and then what has come meanwhile', async () => {
    const first = Promise.withResolvers<void>()
    const tested = givenStoring((ids) => (ids === 'a b' ? first.promise : undefined))
    const stored = [tested.store('a'), tested.store('b')]
    await new Promise(setImmediate)
    stored.push(tested.store('c'), tested.store('d'))
    await new Promise(setImmediate)
    assert.deepEqual(tested.batches(), ['a b'])
    first.resolve()
    assert.deepEqual(await Promise.all(stored), [STORED, STORED, STORED, STORED])
    assert.deepEqual(tested.batches(), ['a b', 'c d'])
  })

  it('stores no more mails and bytes together than it may, and a larger one alone', async () => {
    const tested = givenStoring()
    const sizes = { a: 1, b: 1, c: 1, d: 1, e: 999, f: 2_000, g: 1 }
    await Promise.all(Object.entries(sizes).map(([id, bytes]) => tested.store(id, bytes)))
    assert.deepEqual(tested.batches(), ['a b c', 'd e', 'f', 'g'])
  })

  it('tries the mails of a batch that fails one by one, and refuses those that fail again', async () => {
    const tested = givenStoring((ids) => {
      if (ids.includes('bad')) throw new Error('a bug')
    })
    const outcomes = await tested.outcomes('a', 'bad', 'c', 'd')
    assert.deepEqual(outcomes, ['stored', 'a bug', 'stored', 'stored'])
    assert.deepEqual(tested.batches(), ['a bad c', 'a', 'bad', 'c', 'd'])
    assert.deepEqual(
      tested.calls.map(({ options }) => options.isRepeated),
      [false, true, true, true, false],
    )
    assert.deepEqual(tested.messages, ['a bug'])
    // The storage took the others: it is not what failed.
    tested.storing.check()
  })

  it('refuses the mail that ends the thread', async () => {
    const tested = givenStoring((ids) => {
      if (ids.includes('bad')) throw new ThreadEnded(new Error('out of memory'))
    })
    assert.deepEqual(await tested.outcomes('a', 'bad'), ['stored', 'out of memory'])
    assert.equal(tested.messages.length, 1)
    tested.storing.check()
  })

  it('refuses all that wait when the storage does not answer, without trying each', async () => {
    const running = Promise.withResolvers<void>()
    const failure = unavailable('connection refused')
    const tested = givenStoring(
      async (_ids, number) => {
        if (number > 1) return
        await running.promise
        throw failure
      },
      { ping: () => Promise.reject(failure) },
    )
    const first = tested.outcomes('a', 'b', 'c')
    await new Promise(setImmediate)
    const others = tested.outcomes('d', 'e')
    running.resolve()
    const { message } = failure
    assert.deepEqual(await first, [message, message, message])
    assert.deepEqual(await others, [message, message])
    assert.deepEqual(tested.batches(), ['a b c'])
    assert.throws(() => tested.storing.check(), failure)
    assert.deepEqual(await tested.outcomes('f'), ['stored'])
    tested.storing.check()
  })

  it('finds mails for which a full disk has room', async () => {
    const tested = givenStoring((ids) => {
      if (ids.includes('large')) throw unavailable('no space', true)
    })
    const outcomes = await tested.outcomes('small', 'large', 'tiny')
    assert.deepEqual(outcomes, ['stored', unavailable('no space', true).message, 'stored'])
    assert.deepEqual(await tested.outcomes('large'), [unavailable('no space', true).message])
    // The disk may have space now; whether it has is asked of the disk.
    tested.storing.check()
    assert.deepEqual(tested.messages, [])
  })

  it('repeats a transaction whose COMMIT got no response, until it is known', async () => {
    const tested = givenStoring(
      (_ids, number) => {
        if (number === 1) throw unavailable('connection lost', false, true)
        if (number === 2) throw unavailable('connection refused')
      },
      { uncertainMsMax: 10_000 },
    )
    assert.deepEqual(await tested.outcomes('a', 'b'), ['stored', 'stored'])
    assert.deepEqual(tested.batches(), ['a b', 'a b', 'a b'])
    assert.deepEqual(
      tested.calls.map(({ options }) => options.isRepeated),
      [false, true, true],
    )
  })

  it('gives up repeating in the end', async () => {
    const failure = unavailable('connection lost', false, true)
    const fails = () => Promise.reject(failure)
    const tested = givenStoring(fails, { uncertainMsMax: 250, ping: fails })
    assert.deepEqual(await tested.outcomes('a'), [failure.message])
    assert.ok(tested.calls.length > 2)
  })

  it('lets no mail wait for the locked inbox of another', async () => {
    const unlocked = Promise.withResolvers<void>()
    const calls: Call[] = []
    const { log } = createTestLog()
    const storing = new MailStoring({
      storeBatch: async (batch, options) => {
        calls.push({ ids: batch.map(idOf).join(' '), options })
        if (options.ifLocked === 'wait') {
          await unlocked.promise
          return batch.map(() => STORED)
        }
        return batch.map((mail) => (mail.recipients.length > 0 ? 'locked' : STORED))
      },
      ping: async () => {},
      batchMax: { mails: 10, bytes: 1_000 },
      uncertainMsMax: 0,
      log,
    })
    const inboxId = 'inb_1' as InboxId // A brand by hand: the test needs a fixed id.
    const recipients = [{ inboxId, address: '', isCatchAll: false }]
    const locked = ['a', 'b'].map((id) => storing.store(receivedMail({ id, recipients })))
    assert.deepEqual(await storing.store(receivedMail({ id: 'free' })), STORED)
    let isStopped = false
    const stopped = storing.stop().then(() => {
      isStopped = true
    })
    await new Promise(setImmediate)
    assert.equal(isStopped, false)
    unlocked.resolve()
    assert.deepEqual(await Promise.all(locked), [STORED, STORED])
    await stopped
    assert.deepEqual(
      calls.map(({ ids, options }) => `${ids}: ${options.ifLocked}`),
      ['a b free: leaveOut', 'a b: wait'],
    )
  })

  it('stores mails for an inbox in their order, also when its lock is gone', async () => {
    const inboxId = 'inb_1' as InboxId // A brand by hand: the test needs a fixed id.
    const recipients = [{ inboxId, address: '', isCatchAll: false }]
    const unlocked = Promise.withResolvers<void>()
    let isLocked = true
    const stored: string[] = []
    const storing = new MailStoring({
      storeBatch: async (batch, { ifLocked }) => {
        if (isLocked && ifLocked === 'leaveOut') return batch.map(() => 'locked')
        // Those that wait are woken later than others see that the lock is gone.
        if (ifLocked === 'wait') await unlocked.promise
        stored.push(...batch.map(idOf))
        return batch.map(() => STORED)
      },
      ping: async () => {},
      batchMax: { mails: 10, bytes: 1_000 },
      uncertainMsMax: 0,
      log: createTestLog().log,
    })
    const first = storing.store(receivedMail({ id: 'a', recipients }))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    isLocked = false
    const second = storing.store(receivedMail({ id: 'b', recipients }))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    unlocked.resolve()
    await Promise.all([first, second])
    assert.deepEqual(stored, ['a', 'b'])
    assert.deepEqual(await storing.store(receivedMail({ id: 'c', recipients })), STORED)
  })

  it('stores what is left when it stops, and refuses what comes later', async () => {
    const tested = givenStoring()
    const stored = tested.outcomes('a', 'b')
    const stopped = tested.storing.stop()
    assert.match((await tested.outcomes('c'))[0] ?? '', /is stopping/)
    await stopped
    assert.deepEqual(await stored, ['stored', 'stored'])
  })

  it('answers every mail, in the order of each batch, whatever fails', async () => {
    const fates = fc.constantFrom('good', 'bug', 'crash', 'full')
    await fc.assert(
      fc.asyncProperty(fc.array(fates, { minLength: 1, maxLength: 20 }), async (mails) => {
        const tested = givenStoring((ids) => {
          if (ids.includes('bug')) throw new Error('a bug')
          if (ids.includes('crash')) throw new ThreadEnded(new Error('a crash'))
          if (ids.includes('full')) throw unavailable('no space', true)
        })
        const outcomes = await tested.outcomes(...mails.map((fate, i) => `${fate}${i}`))
        for (const [i, fate] of mails.entries()) {
          assert.equal(outcomes[i] === 'stored', fate === 'good')
        }
        await tested.storing.stop()
      }),
    )
  })
})
