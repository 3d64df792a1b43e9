import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId, MessageId } from '@mayfly/contract'
import pg from 'pg'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { ALICE, givenInbox, givenMail, NOW } from '../../../test/testing-store.ts'
import { openStore } from '../open.ts'

const OLD_SCHEMA = 17

const INBOX = 'inb_1' as InboxId // A brand by hand: tests need fixed ids.
const MESSAGES = ['msg_1', 'msg_2'] as MessageId[] // As above.

/** What the older version writes for a mail. */
const storedMail = (number: number, bytes: string) => [
  `insert into mail (id, received_at, size_bytes, text, content, transcript)
    values ('eml_0${number}', 1, 1, 'text ${number}', '${JSON.stringify(CONTENT)}', '')`,
  `insert into raw_mail (mail_id, encoding, bytes) values ('eml_0${number}', 'identity', cast('' as ${bytes}))`,
  `insert into message (id, inbox_id, mail_id, sequence, received_at, recipient, size_bytes,
    has_attachments) values ('msg_${number}', 'inb_1', 'eml_0${number}', 1${number}, 1, 'a', 1, 0)`,
]

const CONTENT = {
  ...{ to: [], cc: [], replyTo: [], sentAt: null, links: [], headers: [], defects: [] },
  envelope: { mailFrom: '', remoteAddress: '', helo: '', tls: null },
}

onEachDatabase('migration 18', (create, name) => {
  it('keeps the mails of an older store, and lets its nodes go on', async () => {
    await using database = await create('template0')
    const open = (migrateUpTo?: number) =>
      openStore({ url: database.url, exclusive: false, migrateUpTo })
    const older = await open(OLD_SCHEMA)
    const bytes = name === 'SQLite' ? 'blob' : 'bytea'
    await older.accounts.add({
      ...{ id: ALICE, email: 'a@b.example', name: null, plan: 'unlimited', createdAt: NOW },
    })
    const { id: inboxId } = await givenInbox(older, { owner: ALICE })
    await older.execute(`update inbox set id = 'inb_1' where id = '${inboxId}'`)
    for (const statement of storedMail(1, bytes)) await older.execute(statement)
    const newer = await open()
    for (const statement of storedMail(2, bytes)) await older.execute(statement)
    const given = await givenMail(newer, INBOX, { text: 'new' })
    const texts = async (store: typeof newer) => {
      const ids = [...MESSAGES, given.messageId]
      return Promise.all(ids.map((id) => store.messages.findText(ALICE, INBOX, id)))
    }
    assert.deepEqual(await texts(newer), ['text 1', 'text 2', 'new'])
    assert.deepEqual(await texts(older), ['text 1', 'text 2', 'new'])
    // As the older version deletes.
    await older.execute(`delete from message where id = '${given.messageId}'`)
    await older.execute(`delete from mail where id = '${given.mailId}'`)
    assert.equal(await newer.mails.findRaw(given.mailId), null)
    await newer.purgeInbox(ALICE, { id: INBOX, now: NOW })
    for (const id of ['eml_01', 'eml_02']) assert.equal(await newer.mails.findRaw(id), null)
    await newer.close()
    await older.close()
  })

  if (name !== 'PostgreSQL') return

  it('goes on after it was interrupted', async () => {
    await using database = await create('template0')
    const url = database.url
    const older = await openStore({ url, exclusive: false, migrateUpTo: OLD_SCHEMA })
    await older.execute(`alter table mail add constraint mail_is_undated
        check (id < 'eml_d') not valid`)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const newer = await openStore({ url, exclusive: false })
    const { rows } = await client.query(`select relname, relkind from pg_class
        where relname in ('mail', 'mail_undated') order by relname`)
    assert.deepEqual(rows, [
      { relname: 'mail', relkind: 'p' },
      { relname: 'mail_undated', relkind: 'r' },
    ])
    const left = await client.query(`select conname from pg_constraint
        where conname like '%_is_undated'`)
    assert.deepEqual(left.rows, [])
    await client.end()
    await newer.close()
    await older.close()
  })
})
