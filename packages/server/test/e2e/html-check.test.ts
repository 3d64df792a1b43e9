import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { first } from '../testing-first.ts'
import { sharedService } from '../testing-start-service.ts'

const HTML = '<div style="display: grid; color: red"><p>Welcome</p></div>'

function mailOf(html: string): string {
  return `From: a@b.example\r\nContent-Type: text/html\r\n\r\n${html}\r\n`
}

describe('the HTML check', () => {
  const shared = sharedService()

  it('tells which mail clients support what a mail uses', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, raw: mailOf(HTML) })
    const { id } = first((await inbox.listMessages()).messages)
    const check = await inbox.checkHtml(id)
    assert.equal(check.hasHtml, true)
    assert.match(check.dataDate, /^202\d-\d\d-\d\d$/)
    assert.equal(check.elementCount, 2)
    assert.ok(check.featureCount >= 3)
    const client = (name: string) => check.clients.find((one) => one.client === name)
    assert.equal(client('apple-mail.macos')?.supported, 100)
    assert.ok(Number(client('outlook.windows')?.unsupported) > 0)
    assert.ok(Number(check.support?.supported) < 100)
    const warning = check.warnings.find(({ slug }) => slug === 'css-display-grid')
    assert.equal(warning?.found, 1)
    assert.ok(warning.results.some((one) => one.client === 'outlook.windows'))
    assert.ok(!check.warnings.some(({ slug }) => slug === 'html-p'))
  })

  it('says so of a mail without HTML', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const { id } = first((await inbox.listMessages()).messages)
    const { dataDate: _, ...check } = await inbox.checkHtml(id)
    assert.deepEqual(check, {
      hasHtml: false,
      elementCount: 0,
      featureCount: 0,
      support: null,
      clients: [],
      warnings: [],
    })
    const unknown = await dev.get(`/v1/inboxes/${inbox.id}/messages/msg_unknown/html-check`)
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'message_not_found'])
  })

  it('is an assertion, too', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, raw: mailOf(HTML) })
    const type = 'htmlSupport'
    const { results } = await inbox.check([
      { type, clients: ['apple-mail'], atLeast: 100 },
      { type, clients: ['apple-mail.macos', 'outlook.windows'], atLeast: 100 },
      { type, atLeast: 0 },
      { type, clients: ['netscape'], atLeast: 50 },
    ])
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, false, true, false],
    )
    const [, outlook, , unknown] = results
    assert.match(
      String(outlook?.detail),
      /^outlook\.windows supports [\d.]+ % of what the HTML uses, expected at least 100 %; it lacks .*display:grid/,
    )
    assert.match(String(unknown?.detail), /unknown mail client netscape; known clients are /)
    const plain = await dev.inboxes.create()
    await service.sendMail({ to: plain.emailAddress })
    const run = await plain.check([{ type, atLeast: 1 }])
    assert.equal(run.results[0]?.detail, 'the mail has no HTML')
  })
})
