// A content thread for tests of its host: a call does what its request names.

import { parentPort } from 'node:worker_threads'
import { ServiceError } from '../src/errors.ts'
import { type ContentThreadMessage, writeError } from '../src/threads/content-host.ts'

parentPort?.on('message', (message: ContentThreadMessage) => {
  const send = (answer: ContentThreadMessage) => parentPort?.postMessage(answer)
  if (message.type === 'stop') parentPort?.close()
  if (message.type !== 'call') return
  const { owner, name } = message
  // Of a mail to send, its id.
  const request =
    name === 'sendMail' ? Reflect.get(Object(message.request), 'mailId') : message.request
  if (request === 'loop') for (;;);
  if (request === 'throw') throw new Error('thrown outside of an answer')
  if (request === 'leave') send({ type: 'left', error: writeError(new Error('some are left')) })
  if (request === 'refuse') {
    send({ type: 'failed', error: writeError(new ServiceError('message_not_found')) })
  } else send({ type: 'done', result: new TextEncoder().encode(`${owner} ${request}`) })
})
