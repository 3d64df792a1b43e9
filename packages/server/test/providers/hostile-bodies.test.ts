import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { mutate, pick, randomFrom } from '../../../mail/test/testing-mutations.ts'
import { soakRounds } from '../../../mail/test/testing-soak.ts'
import { sharedService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'
import { BASE64, EMAIL, headersOf, KEY, POSTMARK, SAMPLES } from './testing-samples.ts'

const REQUESTS = soakRounds({ short: 300, long: 300_000 })

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

const CONNECTIONS = 8

const TOKENS = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u0000', '\\ud800', '\0', '\xff', '\r\n', ' '],
  ...['null', 'true', '-1', '1e999', '""', '[]', '{}', '[[[[[[', '"__proto__":{}', '"x":1,'],
  ...['a@example.com', 'A <a@b.example>', '%recipient.x%', '{{x}}', '{{#each x}}', '{{{', '}}'],
  ...['--b\r\n', 'Content-Disposition: form-data; name="h:Bcc"', '&', '=', '%', '%0d%0aBcc:'],
]

/** A body, and more headers. */
type Sent = { readonly body: Uint8Array; readonly 'content-encoding'?: string }

describe("hostile bodies of providers' calls", () => {
  const shared = sharedService()
  const given = async () => {
    const service = await shared()
    const { inbox, key } = await givenProject(service)
    const post = (path: string, type: string, { body, ...headers }: Sent) =>
      fetch(`${service.httpUrl}/providers/${path}`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': type, ...headersOf(path, key) },
          ...headers,
        },
        body: new Uint8Array(body),
      })
    return { inbox, post, key }
  }

  it(`${REQUESTS} changed ones are answered below 500, and no answer is a stack`, async () => {
    const { post, key } = await given()
    const random = randomFrom(SEED)
    const statuses = new Map<number, number>()
    let started = 0
    const sendNext = async () => {
      while (started < REQUESTS) {
        const index = started++
        const { path, type, body: valid } = pick(random, SAMPLES)
        const own = [Buffer.from(valid.replace(KEY, key))]
        const body = mutate({ random, samples: own, tokens: TOKENS, bytesMax: 64 * 1024 })
        const answer = await post(path, type, { body })
        const text = await answer.text()
        const about = `request ${index} of seed ${SEED}: POST ${path} ${body.toString('base64')}`
        // Its documentation has this status for each error.
        const isOwn = path.startsWith('mandrill') && text.startsWith('{"status":"error"')
        assert.ok(answer.status < 500 || isOwn, `${answer.status} ${about}`)
        assert.doesNotMatch(text, /Internal error/, about)
        assert.doesNotMatch(text, /node:internal|\.ts:\d+/, about)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, sendNext))
    assert.ok(
      [...statuses.keys()].some((status) => status < 300),
      'no request was valid',
    )
  })

  it('no text of a caller begins another header', async () => {
    const { inbox, post } = await given()
    const evil = 'x\r\nBcc: evil@example.com\r\nX-Evil: 1'
    const call = (path: string, body: object) =>
      post(path, 'application/json', { body: Buffer.from(JSON.stringify(body)) })
    const file = { filename: evil, content: BASE64, content_type: evil, content_id: evil }
    await call('resend/emails', {
      ...EMAIL,
      subject: evil,
      headers: { 'X-A': evil },
      attachments: [file],
    })
    await call('postmark/email', {
      ...POSTMARK,
      Subject: evil,
      Tag: evil,
      Metadata: { [evil]: evil },
    })
    await call('sendgrid/v3/mail/send', {
      personalizations: [{ to: [{ email: EMAIL.to, name: evil }], subject: evil }],
      ...{
        from: { email: EMAIL.from, name: evil },
        content: [{ type: 'text/plain', value: 'Hi' }],
      },
    })
    const to = `"${evil}" <a@example.com>`
    const fields = { from: EMAIL.from, to, subject: evil, text: 'Hi', 'v:a': evil, 'o:tag': evil }
    const body = Buffer.from(new URLSearchParams(fields).toString())
    await post('mailgun/v3/x/messages', 'application/x-www-form-urlencoded', { body })
    const { messages } = await inbox.listMessages()
    assert.ok(messages.length >= 3, `${messages.length} of 4 were stored`)
    for (const { id } of messages) {
      const { headers } = await inbox.readMessage(id)
      const names = headers.map(({ name }) => name.toLowerCase())
      assert.ok(!names.includes('x-evil') && !names.includes('bcc'), names.join())
    }
  })

  it('bombs, many copies and endless templates are refused, and the API continues', async () => {
    const { post, inbox } = await given()
    const call = (path: string, body: object) =>
      post(path, 'application/json', { body: Buffer.from(JSON.stringify(body)) })
    const bomb = {
      body: gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)),
      'content-encoding': 'gzip',
    }
    assert.equal((await post('resend/emails', 'application/json', bomb)).status, 413)
    const personalizations = Array.from({ length: 1_000 }, (_, i) => ({
      to: [{ email: `a${i}@example.com` }],
    }))
    const content = Buffer.alloc(2 * 1024 * 1024).toString('base64')
    const copies = {
      ...{ personalizations, from: { email: EMAIL.from }, subject: 'Hi' },
      ...{
        content: [{ type: 'text/plain', value: 'Hi' }],
        attachments: [{ content, filename: 'a' }],
      },
    }
    assert.equal((await call('sendgrid/v3/mail/send', copies)).status, 413)
    const HtmlBody = `${'{{#each a}}'.repeat(6)}x${'{{/each}}'.repeat(6)}`
    await call('postmark/templates', { Name: 'loop', Alias: 'loop', Subject: 'x', HtmlBody })
    const TemplateModel = { a: Array.from({ length: 400 }, () => 1) }
    const loop = { From: EMAIL.from, To: EMAIL.to, TemplateAlias: 'loop', TemplateModel }
    assert.equal((await call('postmark/email/withTemplate', loop)).status, 503)
    assert.equal((await call('resend/emails', EMAIL)).status, 200)
    assert.equal((await inbox.refresh()).messageCount, 1)
  })
})
