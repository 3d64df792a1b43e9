import assert from 'node:assert/strict'
import { it } from 'node:test'
import { receivedMail } from '../../test/testing-received-mail.ts'
import { newMail } from '../../test/testing-store.ts'
import { createIds } from '../platform/ids.ts'
import { readBatch, writeBatch } from './mail-batch.ts'

const ids = createIds({ now: () => 1 })

it('mails are the same on another thread', () => {
  const batch = [
    receivedMail({
      raw: Buffer.from('first'),
      envelope: {
        mailFrom: 'a@example.com',
        remoteAddress: '192.0.2.1',
        helo: 'client',
        tls: 'TLSv1.3',
        user: { name: 'user' },
      },
      recipients: [
        { inboxId: ids.next('inbox'), address: 'b@mayfly.test', isCatchAll: true },
        { inboxId: ids.next('inbox'), address: 'c@mayfly.test', isCatchAll: false },
      ],
      transcript: ['S: 220', 'C: EHLO'],
      protocol: 'ESMTPS',
    }),
    receivedMail(),
    { mail: { ...newMail(), raw: { encoding: 'zstd', bytes: new Uint8Array(3) } }, recipients: [] },
    receivedMail({ raw: Buffer.from('second') }),
  ] as const
  const written = writeBatch(batch)
  const received = structuredClone(written, { transfer: [written.bytes] })
  assert.deepEqual(readBatch(received), batch)
})
