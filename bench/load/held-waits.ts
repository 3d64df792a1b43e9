import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Waits that are held open, each over its own connection. */
export type HeldWaits = Disposable & {
  /** Resolves when every one has got its whole response. */
  readonly answered: Promise<void>
}

/** Connections opened at a time: the backlog of a listener is finite. */
const AT_A_TIME = 200

/** Where all connections read to: what a client does with a response is not measured. */
const READ = Buffer.alloc(256 * 1024)

/** Opens `count` waits, spread over the inboxes; resolves when all have been sent. */
export async function holdWaits(options: {
  readonly httpUrl: string
  readonly apiKey: string
  readonly inboxIds: readonly string[]
  readonly count: number
}): Promise<HeldWaits> {
  const waits: { readonly socket: Socket; readonly answered: Promise<void> }[] = []
  const open = async (i: number) => {
    const inboxId = options.inboxIds[i % options.inboxIds.length] ?? ''
    const wait = openWait(new URL(`/v1/inboxes/${inboxId}/wait`, options.httpUrl), options.apiKey)
    waits.push(wait)
    await once(wait.socket, 'connect')
  }
  for (let start = 0; start < options.count; start += AT_A_TIME) {
    const length = Math.min(AT_A_TIME, options.count - start)
    await Promise.all(Array.from({ length }, (_, i) => open(start + i)))
  }
  // The last ones have to be taken in, too.
  await new Promise((resolve) => setTimeout(resolve, 500))
  return {
    answered: Promise.all(waits.map(({ answered }) => answered)).then(() => {}),
    [Symbol.dispose]: () => {
      for (const { socket } of waits) socket.destroy()
    },
  }
}

/** A wait on a connection of its own, which stays open after the response, as clients keep it. */
function openWait({ hostname, port, host, pathname }: URL, apiKey: string) {
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>()
  let bytesLeft: number | null = null
  const callback = (bytes: number) => {
    bytesLeft ??= responseLength(READ.toString('latin1', 0, Math.min(bytes, 2_000)))
    if (bytesLeft === null) reject(new Error(`a wait got ${READ.toString('latin1', 0, 80)}`))
    else if (bytesLeft === bytes) resolve()
    else bytesLeft -= bytes
    return true
  }
  const onread = { buffer: READ, callback }
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
  socket.on('error', reject)
  socket.write(
    `GET ${pathname}?timeoutSeconds=50 HTTP/1.1\r\nHost: ${host}\r\n` +
      `Authorization: Bearer ${apiKey}\r\n\r\n`,
  )
  return { socket, answered }
}

/** The length of a response with its header; null when it is no success. */
function responseLength(start: string): number | null {
  const headerLength = start.indexOf('\r\n\r\n') + 4
  const bodyLength = /\r\ncontent-length: (\d+)\r\n/i.exec(start)?.[1]
  if (!start.startsWith('HTTP/1.1 200 ') || bodyLength === undefined) return null
  return headerLength + Number(bodyLength)
}
