import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import { until } from '../../test/testing-until.ts'
import { BatchFailed, StorageUnavailable } from '../errors.ts'
import type { BatchOptions, StoreOutcome } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import { Backlog, createBacklogMemory } from '../platform/backlog.ts'
import { createLog } from '../platform/log.ts'
import { Spool } from '../store/sqlite/spool.ts'
import { SpooledStore } from './spooled-store.ts'
import { FILE_BOUNDS, fileSpool } from './spools.ts'
import type { MailToStore } from './storing.ts'

const STORED = { state: 'stored', messageId: null, fullInboxes: [], sizeBytes: 0 } as const

const OWNER = 'acc_alice' as AccountId // As below.
const inboxOf = (name: string) => `inb_${name}` as InboxId // A brand by hand: tests need fixed ids.

function mailTo(name: string, hasAmpleRoom = true): ArrivedMail {
  const raw = Buffer.from(`mail to ${name}`)
  const envelope = { mailFrom: 'a@b.c', remoteAddress: '::1', helo: null, tls: null, user: null }
  const inbox = { inboxId: inboxOf(name), accountId: OWNER, isCaught: false }
  const recipients = [{ ...inbox, address: name, hasAmpleRoom }]
  const accepted = { envelope, recipients, raw, transcript: [], protocol: 'SMTP' }
  return { id: `eml_${name}`, receivedAt: 1, accepted }
}

/** Stands in for the thread: stores when it is told to, and notes what. */
class Storing {
  readonly batches: { readonly names: string[]; readonly options: BatchOptions }[] = []
  syncs = 0
  /** What the next batches do before they are stored; null: store them at once. */
  before: ((names: readonly string[]) => Promise<void>) | null = null
  /** The outcome of a mail whose inbox is locked; null of any other. */
  apart: (name: string) => Promise<StoreOutcome> | null = () => null

  async store(
    batch: readonly MailToStore[],
    options: BatchOptions = { spool: null, until: 'synced' },
  ): Promise<readonly (StoreOutcome | Promise<StoreOutcome>)[]> {
    const names = batch.map((mail) => ('accepted' in mail ? mail.accepted.raw.toString() : ''))
    const short = names.map((name) => name.replace('mail to ', ''))
    await this.before?.(short)
    this.batches.push({ names: short, options })
    return short.map((name) => this.apart(name) ?? STORED)
  }

  async sync(): Promise<void> {
    this.syncs += 1
  }

  get stored(): string[] {
    return this.batches.flatMap(({ names }) => names)
  }
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'mayfly-spooled-'))

type Given = {
  readonly storedTo?: number
  readonly beyond?: readonly number[]
  readonly folder?: string
}

function given({ storedTo = 0, beyond = [], folder = newFolder() }: Given = {}) {
  const storing = new Storing()
  const backlog = new Backlog(createBacklogMemory(1), 0)
  const spool = new Spool(join(folder, 'spool'))
  const aside: string[] = []
  const busy = { share: 0 }
  const store = new SpooledStore({
    name: '0',
    spool: fileSpool(spool),
    bounds: FILE_BOUNDS,
    stored: { to: storedTo, beyond },
    storing,
    backlog,
    busyShare: () => busy.share,
    onStoringLater: () => {},
    setAside: ({ id }) => {
      aside.push(id)
      return `${id}.eml`
    },
    log: createLog('silent'),
  })
  return {
    ...{ storing, backlog, spool, store, aside, folder, busy },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A store whose mails are taken from a table. */
function givenTable() {
  const storing = new Storing()
  const busy = { share: 0 }
  const spool: { readonly written: string[]; failure: Error | null } = {
    written: [],
    failure: null,
  }
  const store = new SpooledStore({
    name: 'node',
    spool: {
      ...{ left: [], isWritable: true, isTakenFrom: true },
      ...{ mayHave: () => true, release: () => {}, close: () => {} },
      write: async (mails) => {
        if (spool.failure !== null) throw spool.failure
        spool.written.push(...mails.map(({ id }) => id))
      },
    },
    bounds: FILE_BOUNDS,
    stored: { to: 0, beyond: [] },
    storing,
    backlog: new Backlog(createBacklogMemory(1), 0),
    busyShare: () => busy.share,
    onStoringLater: () => {},
    setAside: () => '',
    log: createLog('silent'),
  })
  return { store, storing, spool, busy }
}

/** Has the thread begin with a mail, and lets no batch be stored until it is opened. */
async function gate({
  storing,
  store,
}: Pick<ReturnType<typeof given>, 'storing' | 'store'>): Promise<{ open(): void }> {
  const begun = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  storing.before = () => {
    begun.resolve()
    return opened.promise
  }
  void store.store(mailTo('first'))
  await begun.promise
  return {
    open: () => {
      storing.before = null
      opened.resolve()
    },
  }
}

describe('a spooled store', { timeout: 30_000 }, () => {
  it('takes a mail before it is stored, and a reader waits until it is', async () => {
    using test = given()
    const { store, storing, backlog } = test
    const closed = await gate(test)
    assert.equal((await store.store(mailTo('a'))).state, 'stored')
    assert.deepEqual(storing.stored, [])
    assert.equal(new Spool(join(test.folder, 'spool')).left.length, 1)
    const waiting = backlog.caughtUp(OWNER)
    assert.notEqual(waiting, null)
    closed.open()
    await waiting
    assert.deepEqual(storing.batches, [
      { names: ['first'], options: { spool: null, until: 'synced' } },
      { names: ['a'], options: { spool: { name: '0', storedTo: 1 }, until: 'committed' } },
    ])
    await store.stop()
    assert.deepEqual(readdirSync(test.folder), [])
  })

  it('stores a mail first when its inbox may be full, or when it is large', async () => {
    using test = given()
    const { store, storing, backlog } = test
    const closed = await gate(test)
    let taken = 0
    const count = () => {
      taken += 1
    }
    const composed = { mail: { raw: {} }, recipients: [] } as unknown as MailToStore // Its mail is not read.
    const both = [store.store(mailTo('a', false)).then(count), store.store(composed).then(count)]
    await store.store(mailTo('spooled'))
    assert.equal(taken, 0)
    closed.open()
    await Promise.all(both)
    assert.equal(storing.batches[0]?.options.until, 'synced')
    await backlog.caughtUp(OWNER)
    await store.stop()
  })

  it('says when the mails of an inbox are stored', async () => {
    using test = given()
    const { store } = test
    const closed = await gate(test)
    await store.store(mailTo('a'))
    assert.equal(store.storedFor(inboxOf('b'), false), null)
    assert.equal(store.storedFor(inboxOf('a'), true), null)
    const waiting = store.storedFor(inboxOf('a'), false)
    assert.notEqual(waiting, null)
    closed.open()
    await waiting
    await until(async () => (store.storedFor(inboxOf('a'), false) === null ? true : null))
    await store.stop()
  })

  it('lets no more than 256 mails of an inbox wait', async () => {
    using test = given()
    const { store, storing } = test
    const closed = await gate(test)
    const taken: number[] = []
    const all = Array.from({ length: 300 }, async (_, i) => {
      await store.store(mailTo('a'))
      taken.push(i)
    })
    await until(async () => (taken.length >= 256 ? true : null))
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(taken.length, 256)
    closed.open()
    await Promise.all(all)
    await store.stop()
    assert.equal(storing.stored.length, 301)
  })

  it('stores mails later while receiving is busy, but not those that somebody waits for', async () => {
    using test = given()
    const { store, storing, backlog, busy } = test
    busy.share = 1
    const closed = await gate(test)
    // More than are stored beside those that are needed.
    const names = Array.from({ length: 20 }, (_, i) => `${i}`)
    for (const name of names) await store.store(mailTo(name))
    closed.open()
    await until(async () => (storing.stored.length > 0 ? true : null))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(storing.stored, ['first'])
    await backlog.caughtUp(inboxOf('19'))
    assert.deepEqual(storing.stored, ['first', '19', ...names.slice(0, 16)])
    assert.deepEqual(storing.batches[1]?.options.spool, { name: '0', storedTo: 16 })
    // The sender of a mail that somebody waits for gets its answer when it is stored.
    backlog.watch(inboxOf('17'))
    await store.store(mailTo('17'))
    assert.deepEqual(storing.stored.slice(18), ['17', '17', '16', '18'])
    assert.deepEqual(storing.batches[2]?.options, {
      spool: { name: '0', storedTo: 20 },
      until: 'synced',
    })
    await store.stop()
  })

  it('stores mails when receiving is busy no longer', async () => {
    using test = given()
    const { store, storing, busy } = test
    busy.share = 1
    const closed = await gate(test)
    for (const name of ['a', 'b']) await store.store(mailTo(name))
    closed.open()
    await until(async () => (storing.stored.length > 0 ? true : null))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(storing.stored, ['first'])
    busy.share = 0.4
    await until(async () => (storing.stored.length === 3 ? true : null))
    assert.deepEqual(storing.stored, ['first', 'a', 'b'])
    await store.stop()
  })

  it('begins a batch at once for a mail whose sender waits', async (t) => {
    using test = given()
    const { store, storing } = test
    const closed = await gate(test)
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await store.store(mailTo(name))
    // The next batch would be begun by a timer.
    t.mock.timers.enable({ apis: ['setTimeout'] })
    closed.open()
    await store.storedFor(inboxOf('e'), false)
    await store.store(mailTo('spooled'))
    assert.deepEqual(storing.stored, ['first', 'e', 'a', 'b', 'c', 'd'])
    await store.store(mailTo('full', false))
    assert.deepEqual(storing.stored.slice(6), ['full', 'spooled'])
    t.mock.timers.reset()
    await store.stop()
  })

  it('tries again what could not be stored, and meanwhile takes nothing that is not', async () => {
    using test = given()
    const { store, storing, backlog } = test
    const closed = await gate(test)
    await store.store(mailTo('a'))
    closed.open()
    let isFull = true
    storing.before = async () => {
      if (isFull) throw new StorageUnavailable('no space', true)
    }
    await until(async () => (store.storedFor(inboxOf('a'), false) === null ? true : null))
    assert.throws(() => store.check(), /no space/)
    assert.equal(backlog.caughtUp(OWNER), null)
    await assert.rejects(store.store(mailTo('b')), /no space/)
    isFull = false
    await store.store(mailTo('c'))
    assert.deepEqual(storing.stored, ['first', 'c', 'a'])
    store.check()
    await store.stop()
  })

  it('tells a sender also when its mail comes after many that cannot be stored', async () => {
    using test = given()
    const { store, storing } = test
    const closed = await gate(test)
    // More than a batch has.
    for (let i = 0; i < 256; i++) await store.store(mailTo('a'))
    const refused = [store.store(mailTo('a')), store.store(mailTo('b', false))]
    const told = Promise.all(refused.map((sent) => assert.rejects(sent, /no space/)))
    let isFull = true
    closed.open()
    storing.before = async () => {
      if (isFull) throw new StorageUnavailable('no space', true)
    }
    await told
    isFull = false
    await until(async () => (storing.stored.length === 257 ? true : null))
    await store.stop()
    assert.equal(storing.stored.length, 257)
  })

  it('waits for the storing when the spool cannot be written', async () => {
    using test = given()
    const { store, storing, spool } = test
    spool.write = async () => {
      throw new StorageUnavailable('no space', true)
    }
    const closed = await gate(test)
    const taken = store.store(mailTo('a'))
    closed.open()
    await taken
    assert.deepEqual([storing.stored, storing.syncs], [['first', 'a'], 1])
    await store.stop()
  })

  it('tells the sender when neither the spool nor the storage takes the mail', async () => {
    using test = given()
    const { store, storing, spool, backlog } = test
    const closed = await gate(test)
    const full = async () => {
      throw new StorageUnavailable('no space', true)
    }
    spool.write = full
    const refused = store.store(mailTo('a'))
    storing.before = full
    closed.open()
    storing.before = full
    await assert.rejects(refused, /no space/)
    assert.equal(backlog.caughtUp(OWNER), null)
    storing.before = null
    await store.store(mailTo('b'))
    assert.deepEqual(storing.stored, ['first', 'b'])
    await store.stop()
  })

  it('finds the mail that ends the thread, and keeps it apart', async () => {
    using test = given()
    const { store, storing, aside } = test
    const closed = await gate(test)
    const names = ['a', 'b', 'bad', 'c', 'd']
    for (const name of names) await store.store(mailTo(name))
    const stored = names.map((name) => store.storedFor(inboxOf(name), false))
    closed.open()
    storing.before = async (batch) => {
      if (batch.includes('bad')) throw new BatchFailed('out of memory')
    }
    await Promise.all(stored)
    assert.deepEqual([storing.stored, aside], [['first', 'a', 'b', 'c', 'd'], ['eml_bad']])
    await store.stop()
    assert.deepEqual(readdirSync(test.folder), [])
  })

  it('leaves what it could not store to the next start, which stores it once', async () => {
    using test = given()
    const { store, storing, folder } = test
    const closed = await gate(test)
    for (const name of ['a', 'b', 'x']) await store.store(mailTo(name))
    closed.open()
    storing.before = async () => {
      throw new StorageUnavailable('no space', true)
    }
    await store.stop()
    assert.deepEqual(storing.stored, ['first'])

    // The first of them was committed, although nobody was told, and so was the last.
    const next = given({ folder, storedTo: 1, beyond: [3] })
    await next.store.recover()
    assert.deepEqual(next.storing.stored, ['b'])
    assert.equal(next.backlog.caughtUp(OWNER), null)
    await next.store.store(mailTo('c'))
    await next.store.stop()
    assert.deepEqual(next.storing.stored, ['b', 'c'])
    assert.deepEqual(readdirSync(folder), [])
  })

  it('starts although what a crash has left cannot be stored yet', async () => {
    using test = given()
    const closed = await gate(test)
    await test.store.store(mailTo('a'))
    const next = given({ folder: test.folder })
    next.storing.before = async () => {
      throw new StorageUnavailable('no space', true)
    }
    await next.store.recover()
    assert.throws(() => next.store.check(), /no space/)
    next.storing.before = null
    await next.store.store(mailTo('b', false))
    assert.deepEqual(next.storing.stored, ['b', 'a'])
    await next.store.stop()
    closed.open()
    await test.store.stop()
  })

  it('stores a mail that is taken from its spool only after it is there', async () => {
    const { store, storing, spool } = givenTable()
    const closed = await gate({ storing, store })
    spool.failure = new StorageUnavailable('gone', false)
    await assert.rejects(store.store(mailTo('a')), spool.failure)
    assert.equal(store.hasPending(inboxOf('a')), false)
    spool.failure = null
    await store.store(mailTo('b'))
    assert.equal(store.hasPending(inboxOf('b')), true)
    closed.open()
    await until(async () => (store.hasAnyPending ? null : true))
    assert.deepEqual(spool.written, ['eml_b'])
    assert.deepEqual(storing.stored, ['first', 'b'])
    await store.stop()
  })

  it('does not hold up others for a mail whose inbox is locked, and tries it again', async () => {
    const { store, storing } = givenTable()
    const closed = await gate({ storing, store })
    const locked = Promise.withResolvers<typeof STORED>()
    storing.apart = (name) => (name === 'a' ? locked.promise : null)
    for (const name of ['a', 'b']) await store.store(mailTo(name))
    closed.open()
    await until(async () => (store.hasPending(inboxOf('b')) ? null : true))
    assert.equal(store.hasPending(inboxOf('a')), true)
    storing.apart = () => null
    locked.reject(new StorageUnavailable('lock timeout', false))
    await until(async () => (store.hasAnyPending ? null : true))
    assert.deepEqual(storing.stored, ['first', 'a', 'b', 'a'])
    await store.stop()
  })

  it('stores what another node has left at once, also in a burst', async () => {
    const { store, storing, busy } = givenTable()
    busy.share = 1
    await store.storeLeft([mailTo('a'), mailTo('b')])
    assert.deepEqual(storing.stored, ['a', 'b'])
    assert.equal(store.hasAnyPending, false)
    await store.stop()
  })
})
