import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import type {
  FailedHandshake,
  IncomingMail,
  MailHandler,
  Recipient,
  RejectedMail,
} from '../src/server/handler.ts'
import { type SmtpServer, type SmtpServerOptions, startSmtpServer } from '../src/server/server.ts'
import { codesOf } from './testing-protocol.ts'

/** Longer than any test: tests call `sweep` themselves. */
const NEVER_MS = 2 ** 31 - 1

/** Turns of the event loop before a condition counts as failed: some seconds when idle. */
const TURNS_MAX = 2_000_000

/** Handles that a server or a client holds while it is open. */
const OUR_HANDLES = ['TCPSocketWrap', 'TCPServerWrap', 'TLSWrap', 'Timeout']

/** A server on a free port, with a clock that only `pass` moves. */
export type TestServer = AsyncDisposable & {
  readonly server: SmtpServer
  readonly mails: readonly IncomingMail<Recipient>[]
  readonly rejected: readonly RejectedMail<Recipient>[]
  readonly handshakes: readonly FailedHandshake[]
  readonly errors: readonly unknown[]
  /** Moves the clock forward, and sweeps. */
  pass(ms: number): void
  connect(options?: { readonly allowHalfOpen?: boolean }): Promise<TestClient>
  /** Serves one client from greeting to close: work that was queued before is done then. */
  serveOne(): Promise<void>
}

/** Refuses recipients that begin with `unknown`. Disposal fails if a handle is left open. */
export async function startTestServer(
  options: Partial<SmtpServerOptions<Recipient>> = {},
  handler: Partial<MailHandler> = {},
): Promise<TestServer> {
  const handlesBefore = ourHandles()
  const kept = { mails: [], rejected: [], handshakes: [], errors: [] }
  const clients: TestClient[] = []
  let nowMs = 0
  const server = await startSmtpServer({
    ...testOptions(kept, handler),
    now: () => nowMs,
    ...options,
  })
  const connectClient = async (allowHalfOpen: boolean): Promise<TestClient> => {
    const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true, allowHalfOpen })
    const client = new TestClient(socket)
    clients.push(client)
    await once(socket, 'connect')
    return client
  }
  return {
    ...kept,
    server,
    pass(ms) {
      nowMs += ms
      server.sweep()
    },
    connect: ({ allowHalfOpen = false } = {}) => connectClient(allowHalfOpen),
    async serveOne() {
      const client = await connectClient(false)
      await client.reply()
      await client.say('QUIT')
      await client.closed()
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await server.stop(0)
      await until(() => ourHandles() <= handlesBefore)
      assert.deepEqual(kept.errors, [])
    },
  }
}

type Kept = {
  readonly mails: IncomingMail<Recipient>[]
  readonly rejected: RejectedMail<Recipient>[]
  readonly handshakes: FailedHandshake[]
  readonly errors: unknown[]
}

function testOptions({ mails, rejected, handshakes, errors }: Kept, added: Partial<MailHandler>) {
  const handler: MailHandler = {
    admit: (address) =>
      address.startsWith('unknown')
        ? { state: 'refused', why: 'unknown' }
        : { state: 'accepted', recipient: { address } },
    receive: async (mail) => {
      mails.push(mail)
      return 'stored'
    },
    rejected: (notice) => rejected.push(notice),
    handshakeFailed: (failed) => handshakes.push(failed),
    ...added,
  }
  return {
    handler,
    hostname: 'mx.mayfly.test',
    host: '127.0.0.1',
    port: 0,
    tls: null,
    sweepIntervalMs: NEVER_MS,
    onError: (error: unknown) => errors.push(error),
  }
}

/** A client that a test controls step by step. */
export class TestClient {
  socket: Socket | TLSSocket
  readonly #replies: string[] = []
  #rest = ''
  isClosed = false

  constructor(socket: Socket) {
    this.socket = socket
    this.#listen(socket)
  }

  /** The code of the next reply; rejects when the server closes instead. */
  async reply(): Promise<string> {
    await until(() => this.#replies.length > 0 || this.isClosed)
    const reply = this.#replies.shift()
    assert.ok(reply !== undefined, 'The server closed without a reply.')
    return codesOf(`${reply}\r\n`)[0] ?? reply
  }

  async replies(count: number): Promise<readonly string[]> {
    const codes: string[] = []
    while (codes.length < count) codes.push(await this.reply())
    return codes
  }

  /** The codes of all replies up to the close. */
  async lastReplies(): Promise<readonly string[]> {
    await this.closed()
    return codesOf(this.#replies.splice(0).join('\r\n'))
  }

  /** Sends lines, and returns the codes of as many replies. */
  async say(...texts: readonly string[]): Promise<readonly string[]> {
    this.send(texts.map((text) => `${text}\r\n`).join(''))
    return this.replies(texts.length)
  }

  send(bytes: string): void {
    this.socket.write(bytes, 'latin1')
  }

  async closed(): Promise<void> {
    await until(() => this.isClosed)
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** The client's side of STARTTLS, after its 220. */
  async secure(options: ConnectionOptions = {}): Promise<TLSSocket> {
    this.socket.removeAllListeners('data')
    const secured = connectTls({
      ...options,
      socket: this.socket,
      rejectUnauthorized: false,
    })
    this.socket = secured
    this.#listen(secured)
    await once(secured, 'secureConnect')
    return secured
  }

  #listen(socket: Socket): void {
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.isClosed = true
    })
    socket.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString('latin1')).split('\r\n')
      this.#rest = lines.pop() ?? ''
      // Only the last line of a reply has a space after its code.
      this.#replies.push(...lines.filter((line) => line[3] === ' '))
    })
  }
}

/** Waits until the condition holds; fails when it never does. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    assert.ok(turns < TURNS_MAX, `Never came true: ${holds}`)
    await turn()
  }
}

function ourHandles(): number {
  return process.getActiveResourcesInfo().filter((name) => OUR_HANDLES.includes(name)).length
}
