import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import type { ServerCertificate } from './testing-certificates.ts'

/** A server that a test scripts byte by byte. */
export type TcpServer = AsyncDisposable & {
  readonly port: number
  /** Connections taken so far. */
  readonly connections: () => number
  /** All that clients have sent so far. */
  readonly received: () => string
}

/** How a scripted server behaves; by default it takes connections and stays silent. */
export type TcpServerOptions = {
  readonly host?: string
  /** Given when the server speaks TLS. */
  readonly certificate?: ServerCertificate
  /** Called at each connection. */
  readonly onConnection?: (socket: Socket) => void
  /** Called when the header section of a request is there; a string is sent as it is. */
  readonly answer?: string | ((socket: Socket, request: string) => void)
}

/** Starts a scripted server; disposing it closes what clients left open. */
export async function startTcpServer(options: TcpServerOptions = {}): Promise<TcpServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  let received = ''

  const onConnection = (socket: Socket) => {
    sockets.add(socket)
    let request = ''
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      request += bytes
      received += bytes
      if (!request.includes('\r\n\r\n')) return
      if (typeof options.answer === 'string') socket.write(options.answer)
      else options.answer?.(socket, request)
      request = ''
    })
    options.onConnection?.(socket)
  }
  const server: Server = options.certificate
    ? createTlsServer(options.certificate, onConnection).on('tlsClientError', () => {})
    : createServer(onConnection)
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, options.host ?? '127.0.0.1')
  await once(server, 'listening')

  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP port')
  return {
    port: address.port,
    connections: () => connections,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Remembers every client socket that this process opens until it is disposed. */
export function watchClientSockets(): Disposable & { readonly sockets: readonly Socket[] } {
  const sockets: Socket[] = []
  // The channel publishes { socket }.
  const keep = (event: unknown) => sockets.push((event as { socket: Socket }).socket)
  subscribe('net.client.socket', keep)
  return { sockets, [Symbol.dispose]: () => void unsubscribe('net.client.socket', keep) }
}

/** Fails when a TCP or TLS socket of this process is still open; gives closing ones a moment. */
export async function assertNoSockets(): Promise<void> {
  let open: string[] = []
  for (let turn = 0; turn < 1_000; turn++) {
    open = process
      .getActiveResourcesInfo()
      .filter((resource) => /^(TCPSocketWrap|TLSWrap|TCPConnectWrap|Timeout)$/.test(resource))
    if (open.length === 0) return
    await nextTurn()
  }
  throw new Error(`left open: ${open.join(', ')}`)
}
