// The entry file of the content thread: opens the store, answers calls one by one, and stops on a
// message.

import { parentPort, workerData } from 'node:worker_threads'
import { type Content, createContent } from '../assembly/content.ts'
import { openStore } from '../store/open.ts'
import { type ContentThreadData, type ContentThreadMessage, writeError } from './content-host.ts'
import { ownBytes } from './own-bytes.ts'

if (parentPort === null) throw new Error('This file runs as a worker thread only.')
const port = parentPort
// Only threads/content-host.ts starts this file.
const { databaseUrl, directUrl } = workerData as ContentThreadData
// In a function, as in the other entry files: a bundle has no top-level await. A failure is an
// unhandled rejection, which ends the thread.
void start()

async function start(): Promise<void> {
  const store = await openStore({
    url: databaseUrl,
    directUrl,
    exclusive: false,
    isMigrated: true,
    connectionsMax: 1,
    onLeft: (error) => send({ type: 'left', error: writeError(error) }),
  })
  const content = createContent(store)
  port.on('message', async (message: ContentThreadMessage) => {
    if (message.type === 'call') {
      await answer(content, message)
    } else if (message.type === 'stop') {
      await store.close()
      port.close()
    }
  })
}

async function answer(
  content: Content,
  call: Extract<ContentThreadMessage, { type: 'call' }>,
): Promise<void> {
  try {
    // The host passes the arguments of the function that it names.
    const run = content[call.name] as (owner: string, request: unknown) => Promise<unknown>
    const result = await run(call.owner, call.request)
    if (result instanceof Uint8Array) {
      const bytes = ownBytes(result)
      send({ type: 'done', result: bytes }, [bytes.buffer])
    } else send({ type: 'done', result })
  } catch (error) {
    send({ type: 'failed', error: writeError(error) })
  }
}

function send(message: ContentThreadMessage, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}
