import type { ReceivedMail } from '../src/receiving/received-mail.ts'

/** A mail without bytes or recipients, as it was received. */
export function receivedMail(changes: Partial<ReceivedMail> = {}): ReceivedMail {
  return {
    id: 'eml_1',
    receivedAt: 1,
    envelope: { mailFrom: '', remoteAddress: '127.0.0.1', helo: null, tls: null, user: null },
    recipients: [],
    raw: Buffer.alloc(0),
    transcript: [],
    protocol: null,
    ...changes,
  }
}
