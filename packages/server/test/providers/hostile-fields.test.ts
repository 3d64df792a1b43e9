import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { soakRounds } from '../../../mail/test/testing-soak.ts'
import { sharedService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'
import { EMAIL, headersOf, KEY, SAMPLES } from './testing-samples.ts'

/** Each way in which a line of a header may end, and a byte that ends a text of C. */
const EVIL = 'x\r\nX-Evil: 1\nX-Evil: 2\rX-Evil: 3\0Bcc: evil@example.com'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const PATHS = {
  brevo: 'brevo/v3/smtp/email',
  mandrill: 'mandrill/api/1.0/messages/send',
  mailjet: 'mailjet/v3.1/send',
  mailersend: 'mailersend/v1/email',
  mailtrap: 'mailtrap/api/send',
  sparkpost: 'sparkpost/api/v1/transmissions',
  zeptomail: 'zeptomail/v1.1/email/batch',
} as const

/** A value, once with each of its texts replaced, and once with each name of its free fields. */
function* poisoned(value: Json): Generator<Json> {
  if (typeof value === 'string') {
    if (value !== KEY) yield EVIL
  } else if (typeof value === 'object' && value !== null) {
    // An object of JSON.
    for (const [name, own] of Object.entries(value) as [string, Json][]) {
      for (const changed of poisoned(own)) {
        yield Array.isArray(value)
          ? value.map((one: Json, i) => (String(i) === name ? changed : one))
          : { ...value, [name]: changed }
      }
      if (/^(?:X-A|a)$/.test(name)) yield { ...value, [EVIL]: own }
    }
  }
}

describe("hostile fields of providers' calls", () => {
  const shared = sharedService()
  const given = async () => {
    const service = await shared()
    const { inbox, key } = await givenProject(service)
    const post = (path: string, body: Uint8Array, more: Readonly<Record<string, string>> = {}) =>
      fetch(`${service.httpUrl}/providers/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(path, key), ...more },
        body: new Uint8Array(body),
      })
    const call = async (path: string, body: object) => {
      const text = JSON.stringify(body).replace(KEY, key)
      const answer = await post(path, Buffer.from(text))
      return { status: answer.status, text: await answer.text() }
    }
    /** Its documentation has the status 500 for each error. */
    const isKept = (path: string, { status, text }: { status: number; text: string }) =>
      status < 500 || (path.startsWith('mandrill') && text.startsWith('{"status":"error"'))
    return { inbox, post, call, isKept }
  }

  const names = [...new Set(SAMPLES.map(({ path }) => path.split('/')[0] ?? ''))]
  for (const name of names.filter((one) => one !== 'ses')) {
    it(`of ${name} begin no other header, in any text`, async () => {
      const { inbox, call, isKept } = await given()
      let accepted = 0
      for (const { path, type, body } of SAMPLES) {
        if (!path.startsWith(`${name}/`) || type !== 'application/json') continue
        for (const changed of poisoned(JSON.parse(body))) {
          // Neither a text nor a number: no body is.
          const answer = await call(path, changed as object)
          assert.ok(isKept(path, answer), `${path}: ${answer.status} ${JSON.stringify(changed)}`)
          if (answer.status < 300) accepted++
        }
      }
      const { messages } = await inbox.listMessages({ limit: 100 })
      assert.ok(name === 'mailgun' || (accepted > 0 && messages.length > 0), 'none was accepted')
      for (const { id } of messages) {
        const raw = Buffer.from(await inbox.readRaw(id)).toString('latin1')
        const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
        assert.doesNotMatch(head, /^(?:x-evil|bcc):/im)
        assert.doesNotMatch(head, /\0|\r(?!\n)|(?<!\r)\n/)
      }
    })
  }

  it('of a form begin no other header', async () => {
    const { inbox, post } = await given()
    const names = [
      'subject',
      'text',
      'h:X-A',
      'h:Reply-To',
      'v:a',
      'o:tag',
      `h:${EVIL}`,
      `v:${EVIL}`,
    ]
    for (const name of names) {
      const form = { from: EMAIL.from, to: EMAIL.to, subject: 'Hi', text: 'Hi', [name]: EVIL }
      const body = Buffer.from(new URLSearchParams(form).toString())
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const { status } = await post('mailgun/v3/acme.example/messages', body, type)
      assert.ok(status < 500, `${name}: ${status}`)
    }
    const { messages } = await inbox.listMessages()
    assert.ok(messages.length > 0)
    for (const { id } of messages) {
      const { headers } = await inbox.readMessage(id)
      assert.ok(headers.every(({ name }) => !/^(?:x-evil|bcc)$/i.test(name)))
    }
  })

  /** Bodies that are as large, or make as many mails, as a call may ask for. */
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ email: `a${i}@example.com` }))
  const content = Buffer.alloc(22 * 1024 * 1024).toString('base64')
  const from = { email: EMAIL.from }
  const [to, text] = [[{ email: EMAIL.to }], 'Hi']
  const mandrill = { from_email: EMAIL.from, subject: 'Hi', text, to }
  const sparkpost = { from: EMAIL.from, subject: 'Hi', text }
  const zepto = { from: { address: EMAIL.from }, subject: 'Hi', textbody: text }
  const address = { email_address: { address: EMAIL.to } }
  const people = many(1_000).map(({ email }) => ({ email_address: { address: email } }))
  const jet = { From: { Email: EMAIL.from }, To: [{ Email: EMAIL.to }], TextPart: 'Hi' }
  const brevo = { sender: from, subject: 'Hi', textContent: text }
  const recipients = many(1_000).map(({ email }) => ({ address: email }))
  const mail = { from, to, subject: 'Hi', text }
  const file = { name: 'a', content }
  const files = { attachments: [{ filename: 'a', content }] }
  const jetFile = { Filename: 'a', Base64Content: content }
  const one = [{ address: EMAIL.to }]
  const ofSparkpost = { ...sparkpost, attachments: [{ name: 'a', data: content }] }
  const LARGE: readonly (readonly [path: string, body: object])[] = [
    [PATHS.brevo, { ...brevo, to, attachment: [file] }],
    [PATHS.brevo, { ...brevo, messageVersions: many(1_000).map((own) => ({ to: [own] })) }],
    [PATHS.mandrill, { key: KEY, message: { ...mandrill, attachments: [file] } }],
    [PATHS.mandrill, { key: KEY, message: { ...mandrill, to: many(1_000) } }],
    [PATHS.mailjet, { Messages: [{ ...jet, Attachments: [jetFile] }] }],
    [PATHS.mailjet, { Messages: Array.from({ length: 1_000 }, () => jet) }],
    [PATHS.mailersend, { ...mail, ...files }],
    [PATHS.mailersend, { ...mail, personalization: many(1_000) }],
    [PATHS.mailtrap, { ...mail, ...files }],
    [PATHS.mailtrap, { ...mail, to: many(1_000) }],
    [PATHS.sparkpost, { recipients: one, content: ofSparkpost }],
    [PATHS.sparkpost, { recipients, content: sparkpost }],
    [PATHS.zeptomail, { ...zepto, to: [address], attachments: [file] }],
    [PATHS.zeptomail, { ...zepto, to: people }],
  ]

  it('of 30 MB or for 1,000 recipients are answered below 500', async () => {
    const { call, isKept } = await given()
    for (const [path, body] of LARGE) {
      const answer = await call(path, body)
      assert.ok(isKept(path, answer), `${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
  })

  it('that unpack to much are refused', async () => {
    const { post } = await given()
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
    const paths = new Set(LARGE.map(([path]) => path))
    for (const path of paths) {
      const { status } = await post(path, bomb, { 'content-encoding': 'gzip' })
      // The key of Mandrill is in the body, which is unpacked in the thread alone.
      assert.equal(status, path.startsWith('mandrill') ? 500 : 413, path)
    }
  })

  it('with templates that loop or call themselves end', async () => {
    const { call, isKept, inbox } = await given()
    const a = Array.from({ length: 400 }, () => 1)
    const bodies = (template: string): readonly (readonly [path: string, body: object])[] => {
      const [own, ofParams] = [template, template.replaceAll('@root.a', '@root.params.a')]
      const vars = { merge_language: 'handlebars', global_merge_vars: [{ name: 'a', content: a }] }
      const personalization = [{ email: EMAIL.to, data: { a } }]
      const substitution = { recipients: [{ address: EMAIL.to }], substitution_data: { a } }
      return [
        [PATHS.sparkpost, { ...substitution, content: { ...sparkpost, text: own } }],
        [PATHS.brevo, { ...brevo, to, textContent: ofParams, params: { a } }],
        [PATHS.mandrill, { key: KEY, message: { ...mandrill, text: own, ...vars } }],
        [PATHS.mailersend, { from, to, subject: 'Hi', text: own, personalization }],
        [PATHS.zeptomail, { ...zepto, textbody: own, to: [address], merge_info: { a } }],
      ]
    }
    const loop = `${'{{#each @root.a}}'.repeat(6)}x${'{{/each}}'.repeat(6)}`
    // Each is ended after seconds of processor time.
    for (const [path, body] of bodies(loop).slice(0, soakRounds({ short: 1, long: 5 }))) {
      assert.equal((await call(path, body)).status, 503, path)
    }
    const itself = '{{#*inline "x"}}{{> x}}{{/inline}}{{> x}}'
    for (const [path, body] of bodies(itself)) {
      const answer = await call(path, body)
      assert.ok(isKept(path, answer), `${path}: ${answer.status} ${answer.text}`)
      assert.match(answer.text, /nested too deeply/, path)
    }
    await call(PATHS.mailtrap, { from, to, subject: 'After', text })
    await inbox.waitForMessage({ q: 'subject:After', timeoutSeconds: 5 })
  })
})
