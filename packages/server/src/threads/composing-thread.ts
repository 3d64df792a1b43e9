// The entry file of the thread that composes large mails, one by one.

import { workerData } from 'node:worker_threads'
import { createCompose } from '../receiving/compose.ts'
import type { ReceivedMail } from '../receiving/received-mail.ts'
import type { ComposingThreadData } from './composing-host.ts'
import { createThreadLog, serveThread, Transferred, transferableBytes } from './thread-protocol.ts'

// Only threads/composing-host.ts starts this file.
const { hostName, isScanned, logLevel } = workerData as ComposingThreadData

void serveThread(async () => {
  const compose = createCompose({ hostName, isScanned, log: createThreadLog(logLevel) })
  return {
    calls: {
      compose: async (received: ReceivedMail) => {
        // Between threads a Buffer becomes a Uint8Array.
        const [composed] = compose([{ ...received, raw: Buffer.from(received.raw.buffer) }])
        if (composed === undefined) throw new Error('nothing was composed')
        const { mail } = composed
        const bytes = transferableBytes(mail.raw.bytes)
        const raw = { ...mail.raw, bytes }
        return new Transferred({ ...composed, mail: { ...mail, raw } }, [bytes.buffer])
      },
    },
    stop: async () => {},
  }
})
