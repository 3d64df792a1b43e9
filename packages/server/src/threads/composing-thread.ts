// The entry file of the thread that parses large mails, one by one.

import { parentPort, workerData } from 'node:worker_threads'
import { createComposer } from '../assembly/composer.ts'
import { createLog } from '../platform/log.ts'
import type { ComposingThreadData, ComposingThreadMessage } from './composing-host.ts'
import { ownBytes } from './own-bytes.ts'

if (parentPort === null) throw new Error('This file runs as a worker thread only.')
const port = parentPort
// Only threads/composing-host.ts starts this file.
const { hostName, isScanned, logLevel } = workerData as ComposingThreadData
const log = createLog(logLevel)
// Raw mails of this size are compressed: no text can be read from a part of them.
const compose = createComposer({ hostName, isScanned, isTextInRaw: false, log })
const send = (message: ComposingThreadMessage, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer)

port.on('message', (message: ComposingThreadMessage) => {
  if (message.type !== 'compose') return
  const { arrived } = message
  // Between threads a Buffer becomes a Uint8Array.
  const raw = Buffer.from(arrived.accepted.raw.buffer)
  const mail = compose({ ...arrived, accepted: { ...arrived.accepted, raw } })
  const bytes = ownBytes(mail.raw.bytes)
  send({ type: 'composed', mail: { ...mail, raw: { ...mail.raw, bytes } } }, [bytes.buffer])
})
send({ type: 'ready' })
