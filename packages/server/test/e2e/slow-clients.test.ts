import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { first } from '../testing-first.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const MAIL_BYTES = 16 * 1024 * 1024

describe('a client', () => {
  it('that does not read its response is disconnected', async () => {
    // Longer than a busy machine takes to begin its response.
    const httpTimeouts = { requestMs: 5_000, idleMs: 3_000 }
    await using service = await startService({ httpTimeouts })
    const client = await requestLargeMail(service)
    const sockets = openSockets()
    await until(async () => (openSockets() < sockets ? true : null))
    client.destroy()
  })

  it('that sends its body byte by byte is disconnected', async () => {
    const httpTimeouts = { requestMs: 500, idleMs: 5_000 }
    await using service = await startService({ httpTimeouts })
    assert.match(await sendByteByByte(service), /^HTTP\/1\.1 408 /)
  })

  it('that sends its body byte by byte does not keep the service from stopping', async () => {
    const service = await startService()
    const sockets = openSockets()
    const answer = sendByteByByte(service)
    // Both ends of the connection are in this process.
    await until(async () => (openSockets() >= sockets + 2 ? true : null))
    await service[Symbol.asyncDispose]()
    assert.equal(await answer, '')
  })
})

/** Sends a request that does not end; resolves with the response when the server disconnects. */
async function sendByteByByte(service: TestService): Promise<string> {
  const client = connect(Number(new URL(service.httpUrl).port), '127.0.0.1')
  client.on('error', () => {})
  const head = ['POST /v1/accounts HTTP/1.1', 'host: localhost', 'content-length: 100000']
  client.write(`${head.join('\r\n')}\r\ncontent-type: application/json\r\n\r\n`)
  const sending = setInterval(() => client.write(' '), 20)
  let answer = ''
  client.on('data', (chunk) => {
    answer += String(chunk)
  })
  await new Promise((resolve) => client.once('close', resolve))
  clearInterval(sending)
  return answer
}

/** Asks for a mail that fills the buffers of both sockets, and reads nothing of it. */
async function requestLargeMail(service: TestService): Promise<Socket> {
  const dev = await service.register()
  const inbox = await dev.inboxes.create()
  const raw = `Subject: large\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(MAIL_BYTES / 1000)}`
  await service.sendMail({ to: inbox.emailAddress, raw })
  const message = first((await inbox.listMessages()).messages)
  const client = connect(Number(new URL(service.httpUrl).port), '127.0.0.1')
  client.on('error', () => {})
  const path = `/v1/inboxes/${inbox.id}/messages/${message.id}/raw`
  client.write(
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${dev.key}\r\n\r\n`,
  )
  await once(client, 'readable')
  return client
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
}
