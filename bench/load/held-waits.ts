import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { responseLength } from './kept-connections.ts'
import type { Inbox, Service } from './service.ts'

/** Waits that are held open, each over its own connection. */
export type OpenWaits = Disposable & {
  /** Resolves when every one has got its whole response. */
  readonly answered: Promise<unknown>
}

/** Connections opened at a time: the backlog of a listener is finite. */
const AT_A_TIME = 200

/** Where all connections read to: what a client does with a response is not measured. */
const READ = Buffer.alloc(256 * 1024)

/** Opens `count` waits, spread over the inboxes; resolves when all have been sent. */
export async function holdWaits(
  service: Service,
  inboxes: readonly Inbox[],
  count: number,
): Promise<OpenWaits> {
  const waits: { readonly socket: Socket; readonly answered: Promise<void> }[] = []
  const open = async (index: number) => {
    const wait = openWait(service, inboxes[index % inboxes.length]?.id ?? '')
    waits.push(wait)
    await once(wait.socket, 'connect')
  }
  for (let start = 0; start < count; start += AT_A_TIME) {
    const length = Math.min(AT_A_TIME, count - start)
    await Promise.all(Array.from({ length }, (_, index) => open(start + index)))
  }
  // The last ones have to be taken in, too.
  await setTimeout(500)
  return {
    answered: Promise.all(waits.map(({ answered }) => answered)),
    [Symbol.dispose]: () => {
      for (const { socket } of waits) socket.destroy()
    },
  }
}

/** A wait on a connection of its own, which stays open after the response, as clients keep it. */
function openWait({ httpUrl, apiKey }: Service, inboxId: string) {
  const { hostname, port, host } = new URL(httpUrl)
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>()
  let bytesLeft: number | null = null
  const callback = (bytes: number) => {
    try {
      bytesLeft ??= responseLength(READ.toString('latin1', 0, Math.min(bytes, 2_000)))
    } catch (error) {
      reject(error)
    }
    if (bytesLeft !== null) bytesLeft -= bytes
    if (bytesLeft === 0) resolve()
    return true
  }
  const onread = { buffer: READ, callback }
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
  socket.on('error', reject)
  socket.write(
    `GET /v1/inboxes/${inboxId}/wait?timeoutSeconds=50 HTTP/1.1\r\nHost: ${host}\r\n` +
      `Authorization: Bearer ${apiKey}\r\n\r\n`,
  )
  return { socket, answered }
}
