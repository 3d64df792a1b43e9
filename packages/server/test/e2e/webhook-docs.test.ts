// The receiver of docs/webhooks.md, as it stands there, against the real service.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import type { ServerCertificate } from '../testing-certificates.ts'
import { freePort } from '../testing-free-port.ts'
import { createReceivers } from '../testing-receiver.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const GUIDE = new URL('../../../../docs/webhooks.md', import.meta.url)

/** The code in one language that holds a text. */
async function codeIn(language: string, holding: string): Promise<string> {
  const guide = await readFile(GUIDE, 'utf8')
  const blocks = guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)
  const found = [...blocks].find(([, name, code]) => name === language && code?.includes(holding))
  assert.ok(found?.[2], `docs/webhooks.md has no ${language} with ${holding}`)
  return found[2]
}

/** A program of the guide, listening; and all that it has printed. */
type Program = AsyncDisposable & { readonly port: number; printed(): string }

async function startProgram(
  command: readonly [string, ...string[]],
  secret: string,
): Promise<Program> {
  const port = await freePort()
  const [file, ...args] = command
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
  const child: ChildProcess = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  await until(async () => {
    assert.equal(child.exitCode, null, 'the program ended')
    const socket = connect(port, '127.0.0.1')
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => null,
    )
    socket.destroy()
    return isListening
  })
  return {
    port,
    printed: () => printed,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** What ends TLS in front of a program; it is told where later. */
async function startTlsProxy(certificate: ServerCertificate) {
  let port = 0
  const server = createTlsServer(certificate, (socket) => {
    const inner = connect(port, '127.0.0.1')
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
    socket.pipe(inner).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return {
    url: `https://127.0.0.1:${address.port}/hook`,
    leadTo: (next: number) => {
      port = next
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

/** Posts to a program as an attacker might; the status. */
async function post(
  port: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | undefined> {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false }).end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'close')
  return response.statusCode
}

function sign(secret: string, timestamp: number, body: string): string {
  const args = ['dgst', '-sha256', '-hmac', secret, '-r']
  const input = `${timestamp}.${body}`
  return execFileSync('openssl', args, { input, encoding: 'utf8' }).split(' ')[0] ?? ''
}

/** What a receiver must do: take what is ours, once, and refuse the rest. */
async function assertReceives(
  service: TestService,
  at: { readonly url: string; leadTo(port: number): void },
  command: readonly [string, ...string[]],
): Promise<void> {
  const dev = await service.register()
  const { secret } = await dev.webhooks.create(at.url)
  await using program = await startProgram(command, secret)
  at.leadTo(program.port)
  const inbox = await dev.inboxes.create()
  await service.sendMail({ to: inbox.emailAddress, subject: 'Hello there' })
  const { id } = await until(async () => {
    const [delivery] = (await dev.webhooks.deliveries()).deliveries
    assert.notEqual(delivery?.attempts[0]?.status, 400, 'a genuine event was refused')
    return delivery?.status === 'succeeded' ? delivery : null
  })
  const { delivery } = await dev.webhooks.replay(id)
  assert.deepEqual(
    delivery.attempts.map(({ status }) => status),
    [204, 204],
  )
  assert.equal(program.printed(), `message.received ${inbox.emailAddress} Hello there\n`)

  const now = Math.floor(Date.now() / 1000)
  const body = '{"id":"evt_1"}'
  const headers = (timestamp: number, version = 'v1', signature?: string) => ({
    'content-length': String(body.length),
    'x-service-signature-version': version,
    'x-service-timestamp': String(timestamp),
    'x-service-signature': signature ?? sign(secret, timestamp, body),
  })
  const forged = [
    headers(now, 'v1', sign('whsec_other', now, body)),
    headers(now, 'v1', ''),
    headers(now, 'v1', 'zz'),
    headers(now, 'v2'),
    headers(now - 400),
    headers(now + 400),
    { 'content-length': String(body.length) },
  ]
  for (const each of forged) assert.equal(await post(program.port, each, body), 400)
}

describe('the guide to webhooks', () => {
  it('has a receiver that takes genuine events once, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-guide-'))
    await using receivers = await createReceivers()
    await using proxy = await startTlsProxy(receivers.authority.issue(['127.0.0.1']))
    await using service = await startService({ env: receivers.env })
    try {
      const typescript = join(folder, 'receiver.ts')
      await writeFile(typescript, await codeIn('ts', 'createServer'))
      await assertReceives(service, proxy, [process.execPath, typescript])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('has a shell line that tells a genuine request from another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-guide-'))
    await using receivers = await createReceivers()
    const receiver = await receivers.open()
    await using service = await startService({ env: receivers.env })
    const line = await codeIn('sh', 'openssl dgst')
    const dev = await service.register()
    const { webhook, secret } = await dev.webhooks.create(receiver.url)
    await dev.webhooks.test(webhook.id)
    const [received] = receiver.received
    assert.ok(received)
    const env = {
      ...process.env,
      SECRET: secret,
      TIMESTAMP: String(received.headers['x-service-timestamp']),
      SIGNATURE: String(received.headers['x-service-signature']),
    }
    const run = async (body: string) => {
      await writeFile(join(folder, 'body.json'), body)
      const { status, stdout } = spawnSync('sh', ['-c', line], { cwd: folder, env })
      return [status, stdout.toString()]
    }
    assert.deepEqual(await run(received.body), [0, 'genuine\n'])
    assert.deepEqual(await run(`${received.body} `), [1, ''])
    await rm(folder, { recursive: true, force: true })
  })

  it('shows the event as it is', async () => {
    const shown = JSON.parse(await codeIn('json', 'message.received'))
    const { sampleEvent } = await import('../../src/features/webhooks/event.ts')
    const { test: _, ...sample } = sampleEvent(shown.id, Date.parse(shown.createdAt))
    const shape = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
        : typeof value
    assert.deepEqual(shape(shown), shape(sample))
  })
})
