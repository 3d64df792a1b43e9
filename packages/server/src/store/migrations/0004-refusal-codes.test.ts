import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { ALICE, givenInbox, NOW } from '../../../test/testing-store.ts'
import { openStore } from '../open.ts'

/** Back to the schema before the migration. */
const UNDO = [
  'alter table inbox drop column flood_started_at',
  'alter table inbox drop column flood_mails',
  'drop index attachment_held',
  'alter table attachment drop column held_for',
  `create index attachment_held on attachment (id) where status = 'quarantined'`,
  'alter table diagnostic_event drop column reason',
  'alter table diagnostic_event drop column recipient',
  'delete from migration where number >= 4',
]

onEachDatabase('migration 4', (create) => {
  it('brings events and held attachments of an older store up to date', async () => {
    await using database = await create()
    const open = () => openStore({ url: database.url, exclusive: false })
    const older = await open()
    const account = { id: ALICE, email: 'alice@example.com', name: null, createdAt: NOW }
    await older.accounts.add({ ...account, plan: 'unlimited' })
    const inbox = await givenInbox(older, { owner: ALICE })
    for (const statement of UNDO) await older.execute(statement)
    await older.execute(`insert into diagnostic_event (id, inbox_id, stage, at, detail) values
      ('evt_01', '${inbox.id}', 'inbox.suspended', 1, 'abuse'),
      ('dia_02', '${inbox.id}', 'smtp.refused', 2, '550')`)
    await older.execute(`insert into mail (id, received_at, size_bytes, content, transcript)
      values ('eml_1', 1, 1, '{}', '')`)
    for (const [id, reason] of [
      ['att_1', 'not scanned yet'],
      ['att_2', 'the scanner found EICAR'],
    ]) {
      await older.execute(`insert into attachment (id, mail_id, ordinal, content_type, inline,
        size_bytes, sha256, status, reason, body_start, body_end, body_encoding) values
        ('${id}', 'eml_1', 0, 'a/b', 0, 1, '', 'quarantined', '${reason}', 0, 1, 'identity')`)
    }
    await older.close()

    const newer = await open()
    const events = await newer.diagnostics.list(inbox.id, 10)
    const unscanned = await newer.attachments.listUnscanned(null, 10)
    await newer.close()
    assert.deepEqual(
      events.map(({ id, detail, reason }) => [id, detail, reason]),
      [
        ['dia_02', '550', null],
        ['dia_01', 'abuse', null],
      ],
    )
    assert.deepEqual(
      unscanned.map(({ id }) => id),
      ['att_1'],
    )
  })
})
