import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newMail } from '../../test/testing-store.ts'
import type { AcceptedMail, ArrivedMail } from '../features/receiving/compose.ts'
import { createIds } from '../platform/ids.ts'
import { readBatch, writeBatch } from './mail-batch.ts'

const ids = createIds({ now: () => 1 })

function arrived(raw: string, changes: Partial<AcceptedMail> = {}): ArrivedMail {
  return {
    id: ids.mailId(2),
    receivedAt: 1,
    accepted: {
      envelope: { mailFrom: '', remoteAddress: '::1', helo: null, tls: null, user: null },
      recipients: [{ inboxId: ids.next('inbox'), address: 'a@mayfly.test', isCaught: false }],
      raw: Buffer.from(raw),
      transcript: [],
      protocol: null,
      ...changes,
    },
  }
}

it('mails are the same on another thread', () => {
  const batch = [
    arrived('first', {
      envelope: {
        mailFrom: 'a@example.com',
        remoteAddress: '192.0.2.1',
        helo: 'client',
        tls: 'TLSv1.3',
        user: { name: 'user' },
      },
      recipients: [
        { inboxId: ids.next('inbox'), address: 'b@mayfly.test', isCaught: true },
        { inboxId: ids.next('inbox'), address: 'c@mayfly.test', isCaught: false },
      ],
      transcript: ['S: 220', 'C: EHLO'],
      protocol: 'ESMTPS',
    }),
    arrived(''),
    { mail: { ...newMail(), raw: { encoding: 'zstd', bytes: new Uint8Array(3) } }, recipients: [] },
    arrived('second'),
  ] as const
  const written = writeBatch(batch)
  const received = structuredClone(written, { transfer: [written.bytes] })
  assert.deepEqual(readBatch(received), batch)
})
