import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

/** More database connections than are opened while a test runs, and far fewer than its clients. */
const POOL_MAX = 20

onEachDatabase('a request to upgrade a connection', (create) => {
  const shared = sharedService(create)

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
