import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharedService } from '../testing-start-service.ts'
import { openSocket } from './testing-raw-socket.ts'

/** Numbers that programs read wrongly. */
const NUMBERS = [
  '-1',
  '-0',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '+1',
  '9007199254740992',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '9'.repeat(400),
  'NaN',
  'Infinity',
  '１２', // Full-width digits.
  '١', // An Arabic-Indic digit.
  '',
] as const

describe('numbers from outside', { timeout: 120_000 }, () => {
  const shared = sharedService()

  it('are refused by the API, or read as they are: never a 500', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const path = `/v1/inboxes/${inbox.id}`
    for (const number of NUMBERS) {
      const value = encodeURIComponent(number)
      const cursor = Buffer.from(`m${number}`).toString('base64url')
      for (const url of [
        `/v1/inboxes?limit=${value}`,
        `/v1/inboxes?cursor=${value}`,
        `/v1/usage?days=${value}`,
        `/v1/search?limit=${value}`,
        `/v1/search?cursor=${cursor}`,
        `${path}/messages?limit=${value}`,
        `${path}/messages?after=${value}`,
        `${path}/messages?cursor=${cursor}`,
        `${path}/wait?timeoutSeconds=${value}`,
        `${path}/wait?timeoutSeconds=0&after=${value}`,
        `${path}/wait?timeoutSeconds=0&since=${value}`,
        `/v1/webhooks/deliveries?limit=${value}`,
      ]) {
        const { status, body } = await dev.get(url)
        assert.ok([200, 400, 408].includes(status), `${url}: ${status}`)
        if (status === 400) assert.equal(body.error.code, 'invalid_parameter', url)
      }
    }
  })

  it('are refused in bodies, with the name of the field', async () => {
    const service = await shared()
    const dev = await service.register()
    for (const number of ['-1', '1e400', '9007199254740993', '"600"', '600.5', 'null', '[600]']) {
      const { status, body } = await dev.send('POST', '/v1/inboxes', {
        rawBody: `{"ttlSeconds":${number}}`,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(status, 400, number)
      assert.match(body.error.message, /ttlSeconds/, number)
    }
  })

  it('are refused as dates that are none', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    for (const since of [
      '2026-02-30T00:00:00Z',
      '+275760-09-13T00:00:00.001Z',
      '-000001-01-01T00:00:00Z',
      '2026-01-01T24:00:01Z',
      '２０２６-01-01T00:00:00Z',
      '2026-01-01',
      'now',
    ]) {
      const query = `timeoutSeconds=0&since=${encodeURIComponent(since)}`
      const { status } = await dev.get(`/v1/inboxes/${inbox.id}/wait?${query}`)
      assert.equal(status, 400, since)
    }
  })

  it('are no lengths of a body', async () => {
    const service = await shared()
    const port = Number(new URL(service.httpUrl).port)
    for (const number of NUMBERS) {
      using client = await openSocket(port)
      const head = ['POST /v1/accounts HTTP/1.1', 'host: localhost', 'connection: close']
      const type = 'content-type: application/json'
      client.send(`${head.join('\r\n')}\r\n${type}\r\ncontent-length:${number}\r\n\r\n{}`)
      client.socket.end()
      assert.match(await client.ended(), /^HTTP\/1\.1 4\d\d /, number)
    }
  })

  it('are no ids of events', async () => {
    const service = await shared()
    const dev = await service.register()
    const resume = async (id: string) => {
      using client = await openSocket(Number(new URL(service.httpUrl).port))
      const head = [
        'GET /v1/events HTTP/1.1',
        'host: localhost',
        `authorization: Bearer ${dev.key}`,
      ]
      client.send(`${head.join('\r\n')}\r\nlast-event-id: ${id}\r\n\r\n`)
      return await client.received(/event: reset\n|^HTTP\/1\.1 400 /)
    }
    const feed = /^id: (\w+)-0$/m.exec(await resume('unknown'))?.[1]
    assert.ok(feed)
    const invalid = NUMBERS.filter((one) => !/[^\x20-\x7e]/.test(one) && !/^ ?1 ?$|^-0$/.test(one))
    for (const number of invalid) await resume(`${feed}-${number}`)
  })

  it('are refused by SMTP', async () => {
    const service = await shared()
    for (const number of NUMBERS) {
      using client = await openSocket(service.smtpPort)
      client.send(
        Buffer.from(
          `EHLO a\r\nMAIL FROM:<a@b.example> SIZE=${number}\r\nRSET\r\nBDAT ${number} LAST\r\nQUIT\r\n`,
        ),
      )
      client.socket.end()
      const replies = await client.ended()
      const [size, , bdat] = replies.split('\r\n').slice(9)
      // A space after a parameter is none of it.
      assert.match(String(size), number === '1 ' ? /^250 / : /^(?:501|552) /, number)
      // Nor is one before a size; there is no mail then.
      assert.match(String(bdat), number === ' 1' ? /^503 / : /^501 /, number)
    }
  })
})
