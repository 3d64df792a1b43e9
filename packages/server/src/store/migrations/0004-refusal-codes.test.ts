import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { openStore } from '../open.ts'

const INBOX = 'inb_1' as InboxId // Branded by hand: the row is written by hand, too.

onEachDatabase(
  'migration 4',
  (create) => {
    it('brings events and held attachments of an older store up to date', async () => {
      await using database = await create()
      const open = (migrateUpTo?: number) =>
        openStore({ url: database.url, exclusive: false, migrateUpTo })
      const older = await open(3)
      await older.execute(`insert into account (id, email, plan, created_at)
      values ('acc_1', 'alice@example.com', 'unlimited', 1)`)
      await older.execute(`insert into inbox (id, account_id, address, domain, environment,
      created_at, expires_at) values ('${INBOX}', 'acc_1', 'a@b.example', 'b.example', 'live', 1, 2)`)
      await older.execute(`insert into diagnostic_event (id, inbox_id, stage, at, detail) values
      ('evt_01', '${INBOX}', 'inbox.suspended', 1, 'abuse'),
      ('dia_02', '${INBOX}', 'smtp.refused', 2, '550')`)
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
      const events = await newer.diagnostics.list(INBOX, 10)
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
  },
  'template0',
)
