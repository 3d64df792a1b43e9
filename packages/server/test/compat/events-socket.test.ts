import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { sharedService, startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

/** More database connections than are opened while a test runs, and far fewer than its clients. */
const POOL_MAX = 20

describe('a request to upgrade a connection', () => {
  const shared = sharedService()

  it('leaves no socket behind when it is refused, whatever its client does then', async () => {
    const { httpUrl } = await shared()
    const before = openSockets()
    const clients: Socket[] = []
    for (const afterwards of [
      () => {},
      (client: Socket) => client.end('x'),
      (client: Socket) => client.destroy(),
    ]) {
      for (let i = 0; i < 50; i++) {
        const client = await ask(httpUrl, { path: '/api/events', upgrade: 'websocket' })
        assert.match(client.answer, /^HTTP\/1\.1 401 /)
        afterwards(client.socket)
        clients.push(client.socket)
      }
    }
    // Those of the clients are in this process, too, and so is a pool of database connections.
    const openClients = () => clients.filter(({ closed }) => !closed).length
    const others = () => openSockets() - before - openClients()
    await until(async () => (others() < POOL_MAX ? true : null))
    for (const client of clients) client.destroy()
  })

  it('gives its place back when its handshake is malformed, also while a wait is held', async () => {
    await using service = await startService({
      env: { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: 'requestsPerMinute=none' },
    })
    const dev = await service.register()
    const { id } = await dev.inboxes.create({ catchAll: true })
    const wait = async (timeoutSeconds: number, signal = AbortSignal.timeout(60_000)) => {
      const path = `/v1/inboxes/${id}/wait?timeoutSeconds=${timeoutSeconds}`
      return (await dev.get(path, { signal })).status
    }
    const stop = new AbortController()
    const held = wait(50, stop.signal).catch(() => null)
    // Two places: one of these is refused when the first is held.
    const isHeld = async () => (await Promise.all([wait(1), wait(1)])).includes(429)
    await until(async () => ((await isHeld()) ? true : null))
    for (const version of ['99', '0', 'x']) {
      const { socket, answer } = await ask(service.httpUrl, {
        path: '/api/events',
        upgrade: `websocket\r\nAuthorization: Bearer ${dev.key}\r\nSec-WebSocket-Version: ${version}`,
      })
      assert.match(answer, /^HTTP\/1\.1 400 /)
      socket.destroy()
    }
    await until(async () => ((await wait(1)) === 408 ? true : null))
    stop.abort()
    await held
  })

  it('is an ordinary request where there is nothing to upgrade to', async () => {
    const { httpUrl } = await shared()
    for (const [path, upgrade, status] of [
      ['/healthz', 'h2c', 200],
      ['/healthz', 'websocket', 200],
      ['/nope', 'websocket', 404],
      ['/api/events', 'h2c', 404],
    ] as const) {
      const { socket, answer } = await ask(httpUrl, { path, upgrade })
      assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), `${path} ${upgrade}: ${answer}`)
      socket.destroy()
    }
  })
})

/** The sockets that this process has open. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
}

/** The beginning of the response, and the socket, which stays open until it is closed here. */
async function ask(
  httpUrl: string,
  { path, upgrade }: { readonly path: string; readonly upgrade: string },
): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const { hostname, port, host } = new URL(httpUrl)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => socket.destroy())
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`,
  )
  const [answer] = await once(socket, 'data')
  return { socket, answer: String(answer) }
}
