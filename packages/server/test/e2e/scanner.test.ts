import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

/** How the fake scanner behaves: `broken` accepts connections and closes them. */
type Behaviour = 'broken' | 'working' | 'silent'

/** A server that speaks clamd's protocol, finds one word, and fails on two others. */
async function startScanner(initial: Behaviour) {
  const sockets = new Set<Socket>()
  let behaviour = initial
  let crashes = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    if (behaviour === 'broken') return void socket.destroy()
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (behaviour === 'silent') return
      if (received.includes('crash')) {
        crashes += 1
        return void socket.resetAndDestroy()
      }
      const reply = scannerReply(received)
      if (reply !== null) socket.end(`${reply}\0`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has a port.
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    start: () => {
      behaviour = 'working'
    },
    connectionCount: () => sockets.size,
    crashCount: () => crashes,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function scannerReply(received: Buffer): string | null {
  const content = readStream(received)
  if (content === null) return null
  if (content.includes('refused')) return 'INSTREAM size limit exceeded. ERROR'
  return content.includes('malware') ? 'stream: Test.Sig FOUND' : 'stream: OK'
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

type Shown = readonly (string | null)[]

/** A mail with attachments, and how the API shows them. */
async function sendAttachments(service: TestService, texts: Readonly<Record<string, string>>) {
  const dev = await service.register()
  const inbox = await dev.inboxes.create()
  const parts = Object.entries(texts).map(
    ([name, text]) =>
      `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=${name}\r\n\r\n${text}\r\n`,
  )
  const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`
  await service.sendMail({ to: inbox.emailAddress, raw })
  const { id } = first((await inbox.listMessages()).messages)
  const other = await dev.inboxes.create()
  return {
    read: async (): Promise<Shown[]> => {
      const message = await inbox.readMessage(id)
      return message.attachments.map(({ status, reason }) => [status, reason])
    },
    /** The next mail wakes the scanner; by itself it would look every 15 s. */
    sendAnother: () => service.sendMail({ to: other.emailAddress }),
  }
}

const isScanned = ([, reason]: Shown) => reason !== 'not scanned yet'

onEachDatabase('the scanner', (create) => {
  it('holds attachments back until they are scanned, and keeps what it finds', async () => {
    await using database = await create()
    await using scanner = await startScanner('broken')
    await using service = await startService({ database, env: { MAYFLY_CLAMD: scanner.address } })
    const files = { 'good.txt': 'fine', 'bad.txt': 'malware', 'run.exe': 'MZ' }
    const mail = await sendAttachments(service, files)
    const [good, bad, blocked] = await mail.read()
    assert.deepEqual(good, ['quarantined', 'not scanned yet'])
    assert.deepEqual(bad, good)
    assert.equal(blocked?.[0], 'blocked')

    scanner.start()
    await mail.sendAnother()
    const scanned = await until(async () => {
      const now = await mail.read()
      return now.every(isScanned) ? now : null
    })
    assert.deepEqual(scanned[0], ['available', null])
    assert.deepEqual(scanned[1], ['quarantined', 'the scanner found Test.Sig'])
    assert.equal(scanned[2]?.[0], 'blocked')
  })
})

describe('the scanner', () => {
  it('scans what follows an attachment that it fails on, which stays quarantined', async () => {
    await using scanner = await startScanner('working')
    const clock = testClock(Date.now())
    await using service = await startService({ clock, env: { MAYFLY_CLAMD: scanner.address } })
    const mail = await sendAttachments(service, {
      'refused.txt': 'refused',
      // Long enough that the connection is reset while it is sent.
      'crash.txt': `crash${'x'.repeat(4_000_000)}`,
      'good.txt': 'fine',
    })
    await until(async () => ((await mail.read())[2]?.[0] === 'available' ? true : null))
    await until(async () => {
      if (scanner.crashCount() >= 3) return true
      // The service may see a crash later than the scanner, and waits from then on.
      clock.ms += 15_000
      await mail.sendAnother()
      return null
    })
    const scanned = await until(async () => {
      const now = await mail.read()
      if (now.every(isScanned)) return now
      // Of the attempt that failed last the service may know only now.
      clock.ms += 15_000
      await mail.sendAnother()
      return null
    })
    const [refused, crash, good] = scanned.map(([status, reason]) => `${status}: ${reason}`)
    assert.equal(
      refused,
      'quarantined: the scanner failed on it 3 times: clamd replied: INSTREAM size limit exceeded. ERROR',
    )
    assert.equal(
      crash,
      'quarantined: the scanner failed on it 3 times: clamd closed the connection',
    )
    assert.equal(good, 'available: null')
  })

  it('does not hold up a stop', { timeout: 30_000 }, async () => {
    await using scanner = await startScanner('silent')
    const service = await startService({ env: { MAYFLY_CLAMD: scanner.address } })
    await sendAttachments(service, { 'good.txt': 'fine' })
    await until(async () => (scanner.connectionCount() > 0 ? true : null))
    const stoppingAt = performance.now()
    await service[Symbol.asyncDispose]()
    // clamd is waited for during 60 s.
    assert.ok(performance.now() - stoppingAt < 10_000)
  })
})
