import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import { Backlog, createBacklogMemory } from '../platform/backlog.ts'
import { PendingMails } from './pending-mails.ts'
import { bucketsOf, type Entry } from './storing-entry.ts'

function mailOf(sizeBytes: number, name = 'a'): ArrivedMail {
  const envelope = { mailFrom: 'a@b.c', remoteAddress: '::1', helo: null, tls: null, user: null }
  // Brands by hand: tests need fixed ids.
  const inbox = { inboxId: `inb_${name}` as InboxId, accountId: 'acc_alice' as AccountId }
  const recipients = [{ ...inbox, isCaught: false, address: name }]
  const raw = Buffer.alloc(sizeBytes)
  const accepted = { envelope, recipients, raw, transcript: [], protocol: 'SMTP' }
  return { id: 'eml_1', receivedAt: 1, accepted }
}

const entryOf = (mail: ArrivedMail) => ({ buckets: bucketsOf(mail) }) as Entry // The rest is not read.

function given() {
  const backlog = new Backlog(createBacklogMemory(1), 0)
  return { backlog, pending: new PendingMails(backlog, 256) }
}

describe('pending mails', () => {
  it('have room for 8,192, and are many from three quarters of that on', async () => {
    const { pending } = given()
    const mail = mailOf(10)
    const entry = entryOf(mail)
    for (let i = 0; i < 6_143; i++) pending.add(entry, mail)
    assert.equal(pending.areMany, false)
    pending.add(entry, mail)
    assert.equal(pending.areMany, true)
    for (let i = 6_144; i < 8_192; i++) pending.add(entry, mail)
    assert.equal(pending.hasRoom, false)
    const resumed: number[] = []
    const waits = [1, 2, 3].map((number) => pending.room().then(() => resumed.push(number)))
    pending.grantRoom()
    for (let i = 0; i < 2; i++) pending.remove(entry, mail)
    assert.equal(pending.hasRoom, true)
    pending.grantRoom()
    await Promise.all(waits.slice(0, 2))
    assert.deepEqual(resumed, [1, 2])
    pending.endWaits()
    await waits[2]
  })

  it('have room for 32 MiB', () => {
    const { pending } = given()
    const mail = mailOf(1024 * 1024)
    for (let i = 0; i < 32; i++) {
      assert.deepEqual([pending.hasRoom, pending.areMany], [true, i >= 24])
      pending.add(entryOf(mail), mail)
    }
    assert.equal(pending.hasRoom, false)
  })

  it('are at most 256 of an inbox, whose last one is known', () => {
    const { pending } = given()
    const mail = mailOf(10)
    const entry = entryOf(mail)
    const inboxId = 'inb_a' as InboxId // As above.
    for (let i = 0; i < 255; i++) pending.add(entry, mail)
    assert.equal(pending.hasRoomFor(inboxId), true)
    pending.add(entry, mail)
    const other = 'inb_b' as InboxId // As above.
    assert.deepEqual([pending.hasRoomFor(inboxId), pending.hasRoomFor(other)], [false, true])
    for (let i = 0; i < 255; i++) pending.remove(entry, mail)
    assert.equal(pending.lastOf(inboxId), entry)
    pending.remove(entry, mail)
    assert.equal(pending.lastOf(inboxId), undefined)
  })

  it('are waited for by inbox and by account', () => {
    const { pending, backlog } = given()
    const mail = mailOf(10)
    const entry = entryOf(mail)
    pending.add(entry, mail)
    assert.deepEqual([backlog.isCaughtUp('inb_a'), backlog.isCaughtUp('acc_alice')], [false, false])
    assert.equal(backlog.isWatched(bucketsOf(mail)), false)
    for (const id of ['inb_a', 'acc_alice']) {
      backlog.watch(id)
      assert.equal(backlog.isWatched(bucketsOf(mail)), true)
      backlog.unwatch(id)
    }
    pending.remove(entry, mail)
    assert.deepEqual([backlog.isCaughtUp('inb_a'), backlog.isCaughtUp('acc_alice')], [true, true])
  })
})
