import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** What becomes of a connection: nothing is forwarded any more, or it is closed. */
export type ProxyFault = 'silence' | 'cut'

/** A proxy in front of PostgreSQL whose connections can be made to fail. */
export type TcpProxy = AsyncDisposable & {
  /** The URL that was given, through the proxy. */
  readonly url: string
  /** Connections that are open. */
  readonly connections: () => number
  /** Sends new connections to another server. */
  retarget(url: string): void
  /** Fails every connection that is open; new ones work. */
  failAll(fault: ProxyFault): void
  /**
   * Fails the first connection on which a client sends this text, or these texts one after the
   * other; `after` forwards the last one first. Resolves when that has happened.
   */
  failAt(
    text: string | readonly string[],
    fault: ProxyFault,
    when: 'before' | 'after',
  ): Promise<void>
}

type Trap = {
  readonly texts: readonly string[]
  readonly fault: ProxyFault
  readonly when: 'before' | 'after'
  readonly sprung: () => void
}

/** Starts a proxy in front of the server of this URL. */
export async function startTcpProxy(url: string, port = 0): Promise<TcpProxy> {
  let target = new URL(url)
  const pairs = new Set<Pair>()
  let trap: Trap | null = null
  const server = createServer((client) => {
    let seen = { trap, count: 0 }
    const pair = new Pair(client, connect(Number(target.port), target.hostname), (bytes) => {
      if (trap === null) return null
      if (seen.trap !== trap) seen = { trap, count: 0 }
      if (!bytes.toString('latin1').includes(trap.texts[seen.count] ?? '')) return null
      seen.count += 1
      if (seen.count < trap.texts.length) return null
      const { sprung, ...found } = trap
      trap = null
      setImmediate(sprung)
      return found
    })
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP port')
  const proxied = new URL(url)
  proxied.port = String(address.port)
  return {
    url: proxied.href,
    connections: () => pairs.size,
    retarget: (next) => {
      target = new URL(next)
    },
    failAll: (fault) => {
      for (const pair of pairs) pair.fail(fault)
    },
    failAt: (text, fault, when) =>
      new Promise((resolve) => {
        trap = { texts: [text].flat(), fault, when, sprung: resolve }
      }),
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) pair.fail('cut')
      server.close()
      await once(server, 'close')
    },
  }
}

/** The two connections of a client and its server. */
class Pair {
  readonly #client: Socket
  readonly #server: Socket
  #isSilent = false

  constructor(
    client: Socket,
    server: Socket,
    inspect: (bytes: Buffer) => Pick<Trap, 'fault' | 'when'> | null,
  ) {
    this.#client = client
    this.#server = server
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => {})
    client.on('data', (bytes: Buffer) => {
      if (this.#isSilent) return
      const found = inspect(bytes)
      if (found?.when !== 'before') server.write(bytes)
      if (found === null) return
      // What was forwarded must reach the server before the connection is closed.
      if (found.when === 'after' && found.fault === 'cut') server.end()
      this.fail(found.fault)
    })
    server.on('data', (bytes) => {
      if (!this.#isSilent) client.write(bytes)
    })
    client.on('close', () => {
      if (!this.#isSilent) server.destroy()
    })
    server.on('close', () => {
      if (!this.#isSilent) client.destroy()
    })
  }

  fail(fault: ProxyFault): void {
    this.#isSilent = true
    if (fault === 'silence') return
    this.#client.destroy()
    if (!this.#server.writableEnded) this.#server.destroy()
  }
}
