import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newMail } from '../../test/testing-store.ts'
import type { ReadyMail } from '../features/receiving/commit.ts'
import { createIds } from '../platform/ids.ts'
import type { NewMail } from '../store/tables/mails.ts'
import { readBatch, writeBatch } from './mail-batch.ts'

const ids = createIds({ now: () => 1 })

function ready(changes: Partial<NewMail> = {}): ReadyMail {
  return {
    mail: { ...newMail(), raw: { encoding: 'identity', bytes: new Uint8Array() }, ...changes },
    recipients: [{ inboxId: ids.next('inbox'), address: 'a@mayfly.test' }],
  }
}

it('mails are the same on another thread', () => {
  const batch = [
    ready({ raw: { encoding: 'zstd', bytes: new Uint8Array([1, 2, 3]) }, tags: ['a', 'b'] }),
    ready(),
    ready({
      sender: { mailFrom: 'a@example.com', remoteAddress: '::1', tls: 'TLSv1.3' },
      from: { name: 'A', address: 'a@example.com' },
      subject: 's',
      preview: 'p',
      text: { start: 4, end: 9 },
      html: '<p>',
      otp: { value: '123456', confidence: 0.9 },
      transcript: 'S: 220\nC: EHLO',
      raw: { encoding: 'identity', bytes: new Uint8Array([4, 5]) },
      sizeBytes: 2,
      attachments: [
        {
          id: ids.next('attachment'),
          filename: null,
          contentType: 'a/b',
          contentId: null,
          inline: false,
          sizeBytes: 1,
          sha256: '',
          status: 'available',
          reason: null,
          heldFor: null,
          bodyStart: 0,
          bodyEnd: 1,
          bodyEncoding: 'identity',
        },
      ],
    }),
  ]
  const written = writeBatch(batch)
  const received = structuredClone(written, { transfer: [written.bytes] })
  assert.deepEqual(readBatch(received), batch)
})
