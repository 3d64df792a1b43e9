import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Waits that are held open. */
export type HeldWaits = {
  /** Resolves when every one was answered. */
  readonly answered: Promise<void>
}

/** Connections opened at a time: the backlog of a listener is finite. */
const AT_A_TIME = 200

/** Opens `count` waits, spread over the inboxes; resolves when all have been sent. */
export async function holdWaits(options: {
  readonly httpUrl: string
  readonly apiKey: string
  readonly inboxIds: readonly string[]
  readonly count: number
}): Promise<HeldWaits> {
  const { hostname, port, host } = new URL(options.httpUrl)
  const answers: Promise<void>[] = []
  const open = async (i: number) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    const inboxId = options.inboxIds[i % options.inboxIds.length]
    socket.write(
      `GET /v1/inboxes/${inboxId}/wait?timeoutSeconds=50 HTTP/1.1\r\nHost: ${host}\r\n` +
        `Authorization: Bearer ${options.apiKey}\r\n\r\n`,
    )
    answers.push(answerOf(socket))
  }
  for (let start = 0; start < options.count; start += AT_A_TIME) {
    const length = Math.min(AT_A_TIME, options.count - start)
    await Promise.all(Array.from({ length }, (_, i) => open(start + i)))
  }
  // The last ones have to be taken in, too.
  await new Promise((resolve) => setTimeout(resolve, 500))
  return { answered: Promise.all(answers).then(() => {}) }
}

async function answerOf(socket: Socket): Promise<void> {
  const [first] = await once(socket, 'data')
  if (!String(first).startsWith('HTTP/1.1 200')) {
    throw new Error(`a wait was answered ${String(first).slice(0, 80)}`)
  }
  socket.destroy()
}
