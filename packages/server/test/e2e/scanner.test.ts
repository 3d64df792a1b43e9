import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

/** A server that speaks clamd's INSTREAM and finds one word; it can be told to refuse. */
async function startScanner() {
  const sockets = new Set<Socket>()
  let isDown = true
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (isDown) return void socket.destroy()
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const content = readStream(received)
      if (content === null) return
      socket.end(content.includes('malware') ? 'stream: Test.Sig FOUND\0' : 'stream: OK\0')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has a port.
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    start: () => {
      isDown = false
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What was streamed, once its end mark is there. */
function readStream(received: Buffer): Buffer | null {
  const parts: Buffer[] = []
  let at = 'zINSTREAM\0'.length
  for (;;) {
    if (received.length < at + 4) return null
    const length = received.readUInt32BE(at)
    if (length === 0) return Buffer.concat(parts)
    parts.push(received.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
}

onEachDatabase('the scanner', (create) => {
  it('holds attachments back until they are scanned, and keeps what it finds', async () => {
    await using database = await create()
    await using scanner = await startScanner()
    await using service = await startService({
      database,
      env: { MAYFLY_CLAMD: scanner.address, MAYFLY_SMTP_THREADS: '1' },
    })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const part = (name: string, text: string) =>
      `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=${name}\r\n\r\n${text}\r\n`
    const files = part('good.txt', 'fine') + part('bad.txt', 'malware') + part('run.exe', 'MZ')
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${files}--b--\r\n`
    const read = async () => {
      const [{ id }] = (await dev.get(`/v1/inboxes/${inbox.id}/messages`)).body.messages
      const message = (await dev.get(`/v1/inboxes/${inbox.id}/messages/${id}`)).body
      return message.attachments.map((one: { status: string; reason: string }) => [
        one.status,
        one.reason,
      ])
    }
    await service.sendMail({ to: inbox.emailAddress, raw })
    const [good, bad, blocked] = await read()
    assert.deepEqual(good, ['quarantined', 'not scanned yet'])
    assert.deepEqual(bad, good)
    assert.equal(blocked[0], 'blocked')

    scanner.start()
    // The next mail wakes the scanner; by itself it would look every 15 s.
    const other = (await dev.post('/v1/inboxes')).body.inbox
    await service.sendMail({ to: other.emailAddress })
    const scanned = await until(async () => {
      const now = await read()
      return now.some(([, reason]: string[]) => reason === 'not scanned yet') ? null : now
    })
    assert.deepEqual(scanned[0], ['available', null])
    assert.deepEqual(scanned[1], ['quarantined', 'the scanner found Test.Sig'])
    assert.equal(scanned[2][0], 'blocked')
  })
})
