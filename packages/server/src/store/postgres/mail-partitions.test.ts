import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import pg from 'pg'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { ALICE, givenInbox, NOW, newMail, untilLockWait } from '../../../test/testing-store.ts'
import { until } from '../../../test/testing-until.ts'
import { DAY_MS, dayOf, mailIdStart } from '../../mail-id.ts'
import { createIds } from '../../platform/ids.ts'
import { openStore, type Store } from '../open.ts'
import type { NewAttachment } from '../tables/mails.ts'

const ids = createIds({ now: () => NOW })
const TODAY = dayOf(NOW)
const RETENTION_DAYS = [7, 180]
/** When an inbox that expires now is purged. */
const PURGED_AT = NOW + 7 * DAY_MS
const PURGE_DAY = dayOf(PURGED_AT)

const retentionAt = (now: number, days = 7) => ({
  now,
  retentionDays: RETENTION_DAYS,
  keptUntil: ({ expiresAt }: { readonly expiresAt: number }) => expiresAt + days * DAY_MS,
})

onEachDatabase('partitions of mails', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('are made for the days on which mail of now and of the next days is purged', async () => {
    await using test = await openTest()
    assert.equal(await test.store.makePartitions(retentionAt(NOW)), true)
    const days = await test.days('mail')
    const expected = RETENTION_DAYS.flatMap((first) =>
      Array.from({ length: 10 }, (_, i) => TODAY + first + i),
    )
    assert.deepEqual(days, expected)
    for (const table of ['raw_mail', 'attachment', 'sender_verdict']) {
      assert.deepEqual(await test.days(table), expected)
    }
    const mail = await test.receive(NOW)
    assert.ok(mail.id.startsWith(mailIdStart(PURGE_DAY)))
    for (const table of ['mail', 'raw_mail']) {
      assert.deepEqual(await test.query(`select tableoid::regclass::text as name from ${table}`), [
        { name: `${table}_d${PURGE_DAY}` },
      ])
    }
    await test.store.makePartitions(retentionAt(NOW + DAY_MS))
    assert.equal((await test.days('mail')).length, expected.length + 2)
  })

  it('are dropped when their day is over, and their inboxes are purged', async () => {
    await using test = await openTest()
    await test.store.makePartitions(retentionAt(NOW))
    const mail = await test.receive(NOW)
    const { inboxId } = mail
    await test.store.purgeDue?.([inboxId], PURGED_AT)
    assert.deepEqual(await test.count(), { mail: 1, raw_mail: 1, attachment: 1, message: 0 })
    await test.store.dropPartitions(retentionAt((PURGE_DAY + 1) * DAY_MS - 1))
    assert.ok((await test.days('mail')).includes(PURGE_DAY))
    await test.store.dropPartitions(retentionAt((PURGE_DAY + 1) * DAY_MS))
    assert.deepEqual(await test.count(), { mail: 0, raw_mail: 0, attachment: 0, message: 0 })
    const left = await test.query(`select relname from pg_class where relname ~ '_d${PURGE_DAY}'`)
    assert.deepEqual(left, [])
  })

  it('are not waited for when a user deletes mail', async () => {
    await using test = await openTest()
    await test.store.makePartitions(retentionAt(NOW))
    const nothing = { mail: 0, raw_mail: 0, attachment: 0, message: 0 }
    const inbox = await test.receive(NOW)
    await test.store.purgeInbox(ALICE, { id: inbox.inboxId, now: PURGED_AT })
    assert.deepEqual(await test.count(), nothing)
    const message = await test.receive(NOW)
    await test.store.deleteMessages(ALICE, message.inboxId, [message.messageId])
    assert.deepEqual(await test.count(), nothing)
    // A plan that keeps mail for a shorter time than the one under which it arrived.
    const early = await test.receive(NOW)
    await test.store.purgeDue?.([early.inboxId], NOW + DAY_MS)
    assert.deepEqual(await test.count(), nothing)
  })

  it('are dropped without the mails whose inboxes are kept longer by now', async () => {
    await using test = await openTest()
    await test.store.makePartitions(retentionAt(NOW))
    const kept = await test.receive(NOW)
    const purged = await test.receive(NOW)
    await test.store.purgeDue?.([purged.inboxId], PURGED_AT)
    const later = retentionAt((PURGE_DAY + 1) * DAY_MS, 180)
    await test.store.dropPartitions(later)
    assert.ok((await test.days('mail')).includes(PURGE_DAY))
    assert.notEqual(await test.store.mails.findRaw(kept.id), null)
    await test.store.dropPartitions(later)
    assert.ok(!(await test.days('mail')).includes(PURGE_DAY))
    const { messages } = test.store
    const found = await messages.find(ALICE, kept.inboxId, kept.messageId)
    assert.equal(found?.text, 'hello')
    assert.equal(found.attachments.length, 1)
    assert.ok(found.mailId.startsWith(mailIdStart(dayOf(NOW + 180 * DAY_MS))))
    assert.equal((await test.store.mails.findRaw(found.mailId))?.bytes.toString(), 'hello')
    assert.deepEqual(await test.count(), { mail: 1, raw_mail: 1, attachment: 1, message: 1 })
  })

  it('are dropped without a mail of which another inbox deletes its copy meanwhile', async () => {
    await using test = await openTest()
    const { kept, putOff } = await givenShared(test)
    // The statement after the copy lasts until the deletion waits for it, or has deleted the copy.
    await test.query(`create function linger() returns trigger language plpgsql as $$ begin
        while exists (select from mail where id = new.mail_id)
          and not exists (select from pg_locks
            where not granted and transactionid = pg_current_xact_id()::xid)
        loop perform pg_sleep(0.01); end loop;
        return new;
      end $$`)
    await test.query(`create trigger linger before update of mail_id on message
      for each row execute function linger()`)
    const dropping = putOff()
    await until(async () => {
      const rows = await test.query(`select from pg_stat_activity
        where wait_event = 'PgSleep' and datname = current_database()`)
      return rows.length > 0 ? true : null
    })
    await test.store.deleteMessages(ALICE, kept.copied.inboxId, [kept.copied.messageId])
    await dropping
    await putOff()
    assert.equal(await textOf(test.store, kept.other), 'hello')
    assert.deepEqual(await test.count(), { mail: 1, raw_mail: 1, attachment: 1, message: 1 })
  })

  it('are dropped without a mail whose copy is deleted just before it is used again', async () => {
    await using test = await openTest()
    const { kept, putOff } = await givenShared(test)
    await test.query('begin')
    const [copy] = await test.query(`select id from mail
      where id >= '${mailIdStart(PURGE_DAY + 1)}' for no key update`)
    const dropping = putOff()
    await untilLockWait(test.store)
    await test.query(`delete from mail where id = '${copy?.['id']}'`)
    await test.query(`delete from message where id = '${kept.copied.messageId}'`)
    await test.query('commit')
    await dropping
    await putOff()
    assert.equal(await textOf(test.store, kept.other), 'hello')
  })

  it('that are missing are done without', async () => {
    await using test = await openTest()
    const early = await test.receive(NOW)
    assert.equal(await test.store.makePartitions(retentionAt(NOW)), false)
    assert.ok(!(await test.days('mail')).includes(PURGE_DAY))
    assert.ok((await test.days('mail')).includes(PURGE_DAY + 1))
    await test.store.purgeDue?.([early.inboxId], PURGED_AT)
    const left = await test.receive(NOW)
    await test.store.dropPartitions(retentionAt((PURGE_DAY + 1) * DAY_MS))
    assert.equal(await test.store.mails.findRaw(early.id), null)
    assert.notEqual(await test.store.mails.findRaw(left.id), null)
  })

  it('that cannot be made any more are not tried again in each sweep', async () => {
    await using test = await openTest()
    await test.receive(NOW)
    await test.store.makePartitions(retentionAt(NOW))
    await test.query(`create function refuse() returns event_trigger language plpgsql
      as $$ begin raise 'a table is made'; end $$`)
    await test.query(`create event trigger refuse on ddl_command_start
      when tag in ('CREATE TABLE') execute function refuse()`)
    assert.equal(await test.store.makePartitions(retentionAt(NOW)), false)
  })

  it('are dropped after a process was killed between two steps', async () => {
    await using test = await openTest()
    await test.store.makePartitions(retentionAt(NOW))
    const mail = await test.receive(NOW)
    await test.store.purgeDue?.([mail.inboxId], PURGED_AT)
    await test.query(`drop table sender_verdict_d${PURGE_DAY}`)
    await test.query(`alter table attachment detach partition attachment_d${PURGE_DAY}`)
    // Half made, before its day.
    await test.store.dropPartitions(retentionAt(NOW))
    assert.ok((await test.days('raw_mail')).includes(PURGE_DAY))
    await test.store.dropPartitions(retentionAt((PURGE_DAY + 1) * DAY_MS))
    const left = await test.query(`select relname from pg_class where relname ~ '_d${PURGE_DAY}'`)
    assert.deepEqual(left, [])
  })

  it('are made and dropped by one of several nodes', async () => {
    await using test = await openTest()
    await using other = await openOther(test.url)
    const nodes = [test.store, other.store, test.store, other.store]
    await Promise.all(nodes.map((node) => node.makePartitions(retentionAt(NOW))))
    await test.store.makePartitions(retentionAt(NOW))
    assert.equal((await test.days('mail')).length, 20)
    const past = retentionAt(NOW + 30 * DAY_MS)
    await Promise.all(nodes.map((node) => node.dropPartitions(past)))
    await test.store.dropPartitions(past)
    assert.equal((await test.days('mail')).length, 10)
  })

  it('are not dropped while somebody reads, who is not waited for', async () => {
    await using test = await openTest()
    await test.store.makePartitions(retentionAt(NOW))
    const mail = await test.receive(NOW + 7 * DAY_MS)
    const past = retentionAt((PURGE_DAY + 1) * DAY_MS)
    await test.query('begin')
    await test.query('select from mail')
    const dropping = test.store.dropPartitions(past)
    // Behind the one that waits for the lock.
    assert.notEqual(await test.store.mails.findRaw(mail.id), null)
    await test.store.mails.add([newMail()], [])
    await dropping
    assert.ok((await test.days('mail')).includes(PURGE_DAY))
    await test.query('commit')
    await test.store.dropPartitions(past)
    assert.ok(!(await test.days('mail')).includes(PURGE_DAY))
  })

  async function openTest() {
    const database = await create('mayfly_schema')
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const store = await openStore({ url: database.url, exclusive: false })
    await store.accounts.add({
      ...{ id: ALICE, email: 'a@b.example', name: null, plan: 'key_only', createdAt: NOW },
    })
    const query = async (statement: string) => (await client.query(statement)).rows
    return {
      store,
      url: database.url,
      query,
      days: (table: string) => daysOf(query, table),
      count: () => countRows(query),
      receive: (expiresAt: number) => receive(store, expiresAt),
      [Symbol.asyncDispose]: async () => {
        await client.end()
        await store.close()
        await database[Symbol.asyncDispose]()
      },
    }
  }
})

type Query = (statement: string) => Promise<readonly Record<string, unknown>[]>

async function openOther(url: string) {
  const store = await openStore({ url, exclusive: false })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

/** The days for which a table has partitions. */
async function daysOf(query: Query, table: string): Promise<number[]> {
  const rows = await query(`select relname from pg_class
    where relispartition and relname ~ '^${table}_d[0-9]{5}$' order by relname`)
  return rows.map(({ relname }) => Number(String(relname).slice(-5)))
}

type Received = Awaited<ReturnType<typeof receive>>

/** A mail in two inboxes that are kept longer by now; `copied` has a copy of it already. */
async function givenShared({ store, query }: { readonly store: Store; readonly query: Query }) {
  await store.makePartitions(retentionAt(NOW))
  const copied = await receive(store, NOW)
  const { id: inboxId } = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
  const other: Received = { ...copied, inboxId, messageId: ids.next('message') }
  await query(`insert into message select (jsonb_populate_record(message, jsonb_build_object(
    'id', '${other.messageId}', 'inbox_id', '${inboxId}'))).* from message`)
  const putOff = () => store.dropPartitions(retentionAt((PURGE_DAY + 1) * DAY_MS, 180))
  await query('begin')
  // As while mail arrives.
  await query(`select from inbox where id = '${inboxId}' for no key update`)
  await putOff()
  await query('commit')
  return { kept: { copied, other }, putOff }
}

async function textOf(store: Store, { inboxId, messageId }: Received): Promise<string | null> {
  return (await store.messages.find(ALICE, inboxId, messageId))?.text ?? null
}

async function countRows(query: Query) {
  const [counts] = await query(`select (select count(*)::int from mail) as mail,
    (select count(*)::int from raw_mail) as raw_mail,
    (select count(*)::int from attachment) as attachment,
    (select count(*)::int from message) as message`)
  return counts
}

/** Stores a mail in an inbox of its own. */
async function receive(
  store: Store,
  expiresAt: number,
): Promise<{ id: string; inboxId: InboxId; messageId: ReturnType<typeof ids.next<'message'>> }> {
  const { id: inboxId } = await givenInbox(store, { owner: ALICE, expiresAt })
  const attachment: NewAttachment = {
    ...{ id: ids.next('attachment'), filename: 'a.txt', contentType: 'text/plain' },
    ...{ contentId: null, inline: false, sizeBytes: 5, sha256: '', reason: null, heldFor: null },
    ...{ bodyStart: 0, bodyEnd: 5 },
    status: 'available',
    bodyEncoding: 'identity',
  }
  const mail = { ...newMail(NOW, expiresAt + 7 * DAY_MS), attachments: [attachment] }
  const messageId = ids.next('message')
  await store.mails.add([mail], [{ id: messageId, inboxId, recipient: '', sequence: 1, mail }])
  return { id: mail.id, inboxId, messageId }
}
