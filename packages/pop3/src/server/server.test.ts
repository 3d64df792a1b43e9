import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { makeSelfSignedCertificate } from '@mayfly/smtp'
import { stuffedContent } from '../protocol/content.ts'
import { POP3_LIMITS, type Pop3Limits } from './limits.ts'
import { type Pop3ServerOptions, startPop3Server } from './server.ts'
import type { Mailbox } from './session.ts'

/** How soon a server under test checks its deadlines. */
const SWEEP_MS = 5

/** A server with one mailbox, and a clock that a test moves. */
async function startServer(
  limits: Partial<Pop3Limits> = {},
  mailbox: Partial<Mailbox> = {},
  tls: Pop3ServerOptions['tls'] = null,
) {
  let nowMs = 0
  const errors: unknown[] = []
  const server = await startPop3Server({
    ...{ host: '127.0.0.1', port: 0, tls, limits, sweepIntervalMs: SWEEP_MS },
    now: () => nowMs,
    isExempt: () => false,
    onError: (error) => errors.push(error),
    open: async ({ username, password }) =>
      password === 'secret'
        ? {
            state: 'opened',
            mailbox: {
              owner: username,
              messages: [{ id: 'a', sizeBytes: 5 }],
              read: async () => stuffedContent(Buffer.from('a: b\r\n\r\nhi'), null),
              delete: async () => true,
              ...mailbox,
            },
          }
        : { state: 'refused' },
  })
  return {
    errors,
    pass: (ms: number) => {
      nowMs += ms
    },
    connect: () => new Client(connect(server.port, '127.0.0.1')),
    /** Connects until it is greeted. */
    connectAgain: async (beforeEach: () => void = () => undefined) => {
      for (;;) {
        beforeEach()
        const client = new Client(connect(server.port, '127.0.0.1'))
        await client.sees(/\n/)
        if (/ready/.test(client.text)) return client
        await client.ended()
      }
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** Reading that a test answers itself. */
function manualReads() {
  const reads: PromiseWithResolvers<null>[] = []
  const read = () => {
    const answer = Promise.withResolvers<null>()
    reads.push(answer)
    return answer.promise
  }
  return { reads, read }
}

/** A client that keeps what it was sent. */
class Client {
  readonly socket: Socket
  text = ''

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => {
      this.text += chunk
    })
    socket.on('error', () => undefined)
  }

  say(line: string): void {
    this.socket.write(`${line}\r\n`)
  }

  /** Waits until the text has this. */
  async sees(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await once(this.socket, 'data')
  }

  async logsIn(username: string): Promise<void> {
    this.say(`USER ${username}\r\nPASS secret`)
    await this.sees(/1 messages/)
  }

  /** Says a line and waits for an answer. */
  async asks(line: string): Promise<void> {
    this.say(line)
    await once(this.socket, 'data')
  }

  async ended(): Promise<string> {
    if (!this.socket.closed) await once(this.socket, 'close')
    return this.text
  }
}

describe('a POP3 server', () => {
  it('serves pipelined commands in their order', async () => {
    await using server = await startServer()
    const client = server.connect()
    client.say('USER a\r\nPASS secret\r\nSTAT\r\nRETR 1\r\nQUIT')
    assert.match(
      await client.ended(),
      /ready\r\n\+OK [^\r]*\r\n\+OK 1 messages\r\n\+OK 1 5\r\n\+OK message follows\r\na: b\r\n\r\nhi\r\n\.\r\n\+OK goodbye\r\n$/,
    )
    assert.deepEqual(server.errors, [])
  })

  it('slows clients that guess passwords, and then ends them', async () => {
    await using server = await startServer()
    const client = server.connect()
    client.say('USER a\r\nPASS 1\r\nUSER a\r\nPASS 2')
    await client.sees(/(?:AUTH[\s\S]*){2}/)
    client.say('USER a\r\nPASS 3\r\nNOOP')
    await client.sees(/(?:password, please[\s\S]*){3}/)
    assert.equal(client.text.match(/AUTH/g)?.length, 2)
    server.pass(POP3_LIMITS.refusalDelayMs)
    await client.sees(/(?:AUTH[\s\S]*){3}/)
    client.say('USER a\r\nPASS 4')
    await client.sees(/(?:password, please[\s\S]*){4}/)
    server.pass(POP3_LIMITS.refusalDelayMs)
    client.say('USER a\r\nPASS 5')
    assert.match(await client.ended(), /too many wrong passwords\r\n$/)
  })

  it('ends clients that do not log in, are idle, or stay too long', async () => {
    await using server = await startServer({ sessionMs: 1_000_000 })
    const silent = server.connect()
    await silent.sees(/ready/)
    server.pass(POP3_LIMITS.loginMs)
    assert.match(await silent.ended(), /the time of this session is up\r\n$/)
    const idle = server.connect()
    idle.say('USER a\r\nPASS secret')
    await idle.sees(/1 messages/)
    server.pass(POP3_LIMITS.idleMs)
    assert.match(await idle.ended(), /the time of this session is up\r\n$/)
  })

  it('has no more connections from one address than its limit', async () => {
    await using server = await startServer({ connectionsPerAddressMax: 2 })
    const clients = [server.connect(), server.connect()]
    for (const client of clients) await client.sees(/ready/)
    assert.equal(await server.connect().ended(), '-ERR [SYS/TEMP] too many connections\r\n')
    clients[0]?.socket.destroy()
    clients[1]?.say('QUIT')
    await clients[1]?.ended()
    const later = server.connect()
    await later.sees(/ready/)
    later.socket.destroy()
  })

  it('closes the client without progress for the longest time for a new one', async () => {
    const idleMs = POP3_LIMITS.evictableAfterMs
    await using server = await startServer({ connectionsMax: 2 })
    const idle = server.connect()
    await idle.logsIn('a')
    const busy = server.connect()
    await busy.logsIn('a')
    const [refused, ...others] = [server.connect(), server.connect(), server.connect()]
    assert.match(await refused.ended(), /^-ERR \[SYS\/TEMP\] too many connections\r\n$/)
    for (const other of others) await other.ended()
    server.pass(idleMs - 1)
    await busy.asks('TOP 1 0')
    await idle.asks('NOOP')
    server.pass(1)
    const next = server.connect()
    await next.logsIn('a')
    assert.match(await idle.ended(), /idle ones are closed first\r\n$/)
    await busy.asks('NOOP')
    assert.match(await server.connect().ended(), /too many connections\r\n$/)
    for (const client of [busy, next]) client.socket.destroy()
  })

  it('closes a client that waits for its place for a new one, and not one that is served', async () => {
    const { reads, read } = manualReads()
    await using server = await startServer({ connectionsMax: 2, readsPerOwnerMax: 1 }, { read })
    const served = server.connect()
    await served.logsIn('a')
    await served.asks('STAT\r\nRETR 1')
    const waiting = server.connect()
    await waiting.logsIn('a')
    await waiting.asks('STAT\r\nRETR 1')
    server.pass(POP3_LIMITS.evictableAfterMs)
    const next = server.connect()
    await next.logsIn('b')
    assert.match(await waiting.ended(), /idle ones are closed first\r\n$/)
    assert.match(await server.connect().ended(), /too many connections\r\n$/)
    reads[0]?.resolve(null)
    await served.sees(/cannot be read/)
    assert.equal(reads.length, 1)
    served.socket.destroy()
    next.socket.destroy()
  })

  it('closes on a client that leaves in the TLS handshake', async () => {
    const tls = makeSelfSignedCertificate(['mx.mayfly.test'], new Date())
    await using server = await startServer({}, {}, tls)
    const client = server.connect()
    await client.sees(/ready/)
    await client.asks('STLS')
    client.socket.end('\x16\x03\x01')
    assert.match(await client.ended(), /\+OK [^\r]*\r\n$/)
  })

  it('closes a client that does not read for a new one', async () => {
    const large = stuffedContent(Buffer.alloc(20_000_000, 'x'), null)
    const limits = { connectionsMax: 1, drainMs: 1e9, sessionMs: 1e9, idleMs: 1e9 }
    await using server = await startServer(limits, { read: async () => large })
    const rude = server.connect()
    await rude.logsIn('a')
    rude.socket.pause()
    rude.say('RETR 1')
    // Its time passes until it has filled its connection.
    const next = await server.connectAgain(() => server.pass(POP3_LIMITS.evictableAfterMs))
    rude.socket.destroy()
    next.socket.destroy()
  })

  it('ends clients that do not read, and lets others read then', async () => {
    const large = stuffedContent(Buffer.alloc(20_000_000, 'x'), null)
    const limits = { readsMax: 1, handlerMs: 1e9, sessionMs: 1e9, idleMs: 1e9, loginMs: 1e9 }
    await using server = await startServer(limits, { read: async () => large })
    const rude = server.connect()
    rude.say('USER a\r\nPASS secret')
    await rude.sees(/1 messages/)
    rude.socket.pause()
    rude.say('RETR 1')
    const patient = server.connect()
    patient.say('USER a\r\nPASS secret\r\nTOP 1 0')
    await patient.sees(/1 messages/)
    const isServed = patient.sees(/message follows/)
    // Until the rude one is gone: each time it is known to wait, its time passes.
    const timer = setInterval(() => server.pass(POP3_LIMITS.drainMs), 50)
    await isServed
    clearInterval(timer)
    rude.socket.destroy()
    patient.socket.destroy()
  })

  it('does not let clients of one owner that do not read delay another owner', async () => {
    const large = stuffedContent(Buffer.alloc(20_000_000, 'x'), null)
    await using server = await startServer({}, { read: async () => large })
    const rude = Array.from({ length: 19 }, () => server.connect())
    for (const client of rude) {
      await client.logsIn('a')
      client.socket.pause()
      client.say('RETR 1')
    }
    const other = server.connect()
    await other.logsIn('b')
    other.say('RETR 1')
    await other.sees(/message follows/)
    for (const client of [...rude, other]) client.socket.destroy()
  })

  it('reads nothing for clients that left while they waited', async () => {
    const { reads, read } = manualReads()
    const limits = { connectionsPerAddressMax: 2, readsPerOwnerMax: 1 }
    await using server = await startServer(limits, { read })
    const first = await server.connectAgain()
    await first.logsIn('a')
    await first.asks('STAT\r\nRETR 1')
    for (let count = 0; count < 10; count += 1) {
      // Greeted only when the one before is gone.
      const waiting = await server.connectAgain()
      await waiting.logsIn('a')
      await waiting.asks('STAT\r\nRETR 1')
      waiting.socket.destroy()
    }
    const last = await server.connectAgain()
    await last.logsIn('a')
    await last.asks('STAT\r\nRETR 1')
    reads[0]?.resolve(null)
    await first.sees(/cannot be read/)
    while (reads.length < 2) await first.asks('NOOP')
    reads[1]?.resolve(null)
    await last.sees(/cannot be read/)
    assert.equal(reads.length, 2)
    first.socket.destroy()
    last.socket.destroy()
  })

  it('keeps the place of a message until it is read, also when its client has left', async () => {
    const { reads, read } = manualReads()
    const limits = { connectionsPerAddressMax: 2, readsPerOwnerMax: 1 }
    await using server = await startServer(limits, { read })
    const gone = await server.connectAgain()
    await gone.logsIn('a')
    await gone.asks('STAT\r\nRETR 1')
    const patient = await server.connectAgain()
    await patient.logsIn('a')
    await patient.asks('STAT\r\nRETR 1')
    gone.socket.destroy()
    const other = await server.connectAgain()
    assert.equal(reads.length, 1)
    reads[0]?.resolve(null)
    while (reads.length < 2) await other.asks('CAPA')
    reads[1]?.resolve(null)
    await patient.sees(/cannot be read/)
    other.socket.destroy()
    patient.socket.destroy()
  })

  it('serves a client that does not read no further, and others still', async () => {
    let readCount = 0
    const large = stuffedContent(Buffer.alloc(100_000, 'x'), null)
    const read = async () => {
      readCount += 1
      return large
    }
    await using server = await startServer({ readsMax: 1_000, readsPerOwnerMax: 1_000 }, { read })
    const rude = server.connect()
    rude.say('USER a\r\nPASS secret')
    await rude.sees(/1 messages/)
    rude.socket.pause()
    rude.say('TOP 1 0\r\n'.repeat(1_000))
    const normal = server.connect()
    normal.say('USER a\r\nPASS secret')
    await normal.sees(/1 messages/)
    // Until nothing more is read for it while the other one is served.
    for (let before = -1; before !== readCount; ) {
      before = readCount
      for (let count = 0; count < 100; count += 1) await normal.asks('NOOP')
    }
    // As many as the buffers of the connection hold.
    assert.ok(readCount > 0 && readCount < 500, `${readCount} messages`)
    rude.socket.destroy()
    normal.socket.destroy()
  })

  it('lets the event loop turn between many commands, and after each message', async () => {
    const seenAt: number[] = []
    const readAt: number[] = []
    let turn = 0
    let immediate = setImmediate(function count() {
      turn += 1
      immediate = setImmediate(count)
    })
    const message = {
      get id() {
        seenAt.push(turn)
        return 'a'
      },
      sizeBytes: 5,
    }
    const content = stuffedContent(Buffer.from('a: b\r\n\r\nhi'), null)
    const read = async () => {
      readAt.push(turn)
      return content
    }
    await using server = await startServer({}, { messages: [message], read })
    const client = server.connect()
    const replyBytes = '+OK 1 a\r\n'.length
    client.say(`USER a\r\nPASS secret${'\r\nUIDL 1'.repeat(7_000)}\r\nNOOP`)
    await client.sees(/\+OK\r\n$/)
    const inTurns = Map.groupBy(seenAt, (at) => at)
    assert.equal(seenAt.length, 7_000)
    for (const seen of inTurns.values()) assert.ok(seen.length <= (16 * 1024) / replyBytes + 1)
    client.say(`${'TOP 1 0\r\n'.repeat(100)}QUIT`)
    await client.ended()
    assert.equal(new Set(readAt).size, 100)
    clearImmediate(immediate)
  })

  it('ends the session of a bug, and goes on', async () => {
    const failure = new Error('a bug')
    await using server = await startServer({}, { read: async () => Promise.reject(failure) })
    const client = server.connect()
    client.say('USER a\r\nPASS secret\r\nRETR 1')
    await client.ended()
    assert.deepEqual(server.errors, [failure])
    const other = server.connect()
    other.say('QUIT')
    assert.match(await other.ended(), /goodbye/)
  })
})
