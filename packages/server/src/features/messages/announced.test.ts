import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import { ALICE, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'
import { createComposer } from '../../assembly/composer.ts'
import { createCommitDeps } from '../../assembly/storing.ts'
import { DAY_MS } from '../../mail-id.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import type { Store } from '../../store/open.ts'
import type { AnnouncedMessage } from '../../store/tables/candidates.ts'
import { commitWaiting } from '../receiving/commit.ts'
import { messageJson, withoutColumns } from './present.ts'

const GOLDEN = new URL('../../../../mail/test/mail/golden/', import.meta.url)

/** Mails whose texts no database can store as they are, and mails that are not small or plain. */
const OTHERS: Readonly<Record<string, string>> = {
  'a NUL in the text': 'Subject: x\r\n\r\na\0b',
  'an encoded NUL': 'Subject: =?utf-8?q?a=00b?=\r\nContent-Transfer-Encoding: base64\r\n\r\nYQBi',
  'half a pair of UTF-16':
    'Subject: =?utf-16be?b?2AAAQQ==?=\r\nContent-Type: text/plain; charset=utf-16be\r\nContent-Transfer-Encoding: base64\r\n\r\nAEHYAABC',
  'a code': 'From: "A" <a@example.com>\r\nSubject: Sign in\r\n\r\nYour code is 481516.\r\n',
  'a long text': `Subject: x\r\n\r\n${'word '.repeat(4_000)}`,
  'no text': 'Subject: x\r\n\r\n',
}

function* mails(): Generator<readonly [name: string, raw: Buffer]> {
  for (const name of readdirSync(GOLDEN)) {
    if (name.endsWith('.eml')) yield [name, readFileSync(new URL(name, GOLDEN))]
  }
  for (const [name, raw] of Object.entries(OTHERS)) yield [name, Buffer.from(raw, 'latin1')]
}

describeEachDatabase('announced messages', (open, database) => {
  it('have the body that is read from the store, unless another thread writes it', async () => {
    const store = await open()
    let bodies = 0
    for (const [name, raw] of mails()) {
      const { announced, messageId, inboxId } = await receive(store, raw, {
        isTextInRaw: database === 'SQLite',
      })
      const stored = await store.messages.find(ALICE, inboxId, messageId)
      assert.ok(stored !== null && announced !== undefined, name)
      const { id, mailId, sequence, otp } = announced
      assert.deepEqual([id, mailId, sequence], [stored.id, stored.mailId, stored.sequence], name)
      assert.equal(otp, stored.otp?.value ?? null, name)
      const isWritten = stored.html === null && stored.attachments.length === 0
      assert.equal(announced.body !== null, isWritten && raw.length <= 16 * 1024, name)
      if (announced.body === null) continue
      bodies += 1
      const read = Buffer.from(messageJson(withoutColumns(stored), 'wait')).toString()
      assert.equal(Buffer.from(announced.body).toString(), read, name)
    }
    assert.ok(bodies > 50)
  })

  it('are those of inboxes that somebody waits for', async () => {
    const store = await open()
    const raw = Buffer.from('Subject: x\r\n\r\nHello')
    const { announced } = await receive(store, raw, { isWatched: () => false })
    assert.equal(announced, undefined)
  })

  it('are none of an inbox that drops messages at the same time', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 1 })
    const raw = Buffer.from('Subject: x\r\n\r\nHello')
    const first = await receive(store, raw, { inbox })
    assert.notEqual(first.announced, undefined)
    const second = await receive(store, raw, { inbox })
    assert.equal(second.announced, undefined)
  })
})

const ids = createIds({ now: () => NOW })

/** Stores a mail, and returns what is announced of its message. */
async function receive(
  store: Store,
  raw: Buffer,
  options: {
    readonly isTextInRaw?: boolean
    readonly isWatched?: () => boolean
    readonly inbox?: { readonly id: InboxId; readonly address: string }
  } = {},
) {
  const { isTextInRaw = false, isWatched = () => true } = options
  const inbox = options.inbox ?? (await givenInbox(store, { owner: ALICE }))
  const compose = createComposer({
    hostName: 'mx.example',
    isScanned: false,
    isTextInRaw,
    log: createLog('warn'),
  })
  const announcements: AnnouncedMessage[] = []
  const deps = createCommitDeps({
    store,
    clock: { now: () => NOW },
    signals: { announce: ({ messages = [] }) => announcements.push(...messages) },
    isWatched,
  })
  const envelope = { mailFrom: '', remoteAddress: '192.0.2.1', helo: 'a', tls: null, user: null }
  const recipients = [{ inboxId: inbox.id, address: inbox.address, isCaught: false }]
  const accepted = { envelope, recipients, raw, transcript: ['S: 220'], protocol: 'ESMTP' }
  const mail = compose({ id: ids.mailId(NOW + DAY_MS), receivedAt: NOW, accepted })
  const [result] = await commitWaiting(deps, [{ mail, recipients }])
  const messageId = result?.messageId
  if (messageId === null || messageId === undefined) throw new Error('not stored')
  return { announced: announcements[0], messageId, inboxId: inbox.id }
}
