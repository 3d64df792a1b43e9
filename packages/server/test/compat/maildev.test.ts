import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { send, sharedCatchAll } from './testing-catch-all.ts'

describe("MailDev's API", () => {
  const catchAll = sharedCatchAll()
  it('lists, reads, marks and deletes at the paths of versions 2 and 3', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    for (const subject of ['one', 'two', 'three']) {
      await send(service, {
        to: 'Ada <ada@elsewhere.example>',
        subject,
        html: `<p>${subject}</p><script>alert(1)</script>`,
        attachments: [{ filename: 'note.txt', content: subject }],
      })
    }
    const mails = (await api.get('/email')).body
    assert.deepEqual(
      mails.map(({ subject }: { subject: string }) => subject),
      ['one', 'two', 'three'],
    )
    const [one, two, three] = mails
    assert.deepEqual(one.to, [{ address: 'ada@elsewhere.example', name: 'Ada' }])
    assert.deepEqual([one.read, one.headers.subject], [false, 'one'])
    assert.deepEqual(one.envelope.to, [{ address: 'ada@elsewhere.example', args: false }])
    assert.equal((await api.get('/api/email?subject=two')).body[0].id, two.id)
    assert.equal((await api.get('/email?from.address=shop@example.com&limit=2')).body.length, 2)
    assert.equal((await api.get('/email?subject=four')).body.length, 0)

    assert.equal((await api.get(`/api/email/${two.id}`)).body.subject, 'two')
    const summary = (await api.get('/api/email/summary')).body
    assert.deepEqual([summary.total, summary.unread, summary.items.length], [3, 2, 3])
    const html = await api.get(`/email/${one.id}/html`)
    assert.match(html.text, /<p>one<\/p>/)
    assert.match(String(html.headers['content-security-policy']), /^sandbox /)
    assert.match((await api.get(`/email/${one.id}/source`)).text, /Subject: one/)
    const { generatedFileName } = one.attachments[0]
    for (const name of ['note.txt', generatedFileName]) {
      assert.equal((await api.get(`/email/${one.id}/attachment/${name}`)).text, 'one')
    }
    assert.equal((await api.get(`/email/${one.id}/attachment/other`)).status, 404)
    assert.equal((await api.send('PATCH', '/email/read-all')).body, 2)
    const removed = await api.post('/api/email/delete', { ids: [one.id, 'msg_unknown', one.id] })
    assert.deepEqual(removed.body, { deleted: [one.id], notFound: ['msg_unknown'] })
    assert.equal((await api.delete(`/email/${two.id}`)).body, true)
    assert.equal((await api.delete(`/email/${two.id}`)).status, 404)
    assert.equal((await api.post(`/email/${three.id}/relay`)).status, 500)
    assert.equal((await api.delete('/email/all')).body, true)
    assert.deepEqual((await api.get('/email')).body, [])
    assert.equal((await api.get('/config')).body.isOutgoingEnabled, false)
  })

  it('shows mails with the fields of both versions', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    await send(service, {
      to: 'ada@elsewhere.example',
      bcc: 'dave@hidden.example',
      subject: 'Images',
      date: new Date('2020-11-02T08:00:00Z'),
      priority: 'high',
      messageId: '<one@example.com>',
      html: '<p>Look: <img src="cid:logo"></p>',
      attachments: [{ filename: 'logo.png', content: 'pixels', cid: 'logo' }],
    })
    const [mail] = (await api.get('/email')).body
    assert.deepEqual(mail.calculatedBcc, [{ address: 'dave@hidden.example', name: '' }])
    assert.deepEqual(
      [mail.time, mail.date, mail.priority, mail.messageId],
      ['2020-11-02T08:00:00.000Z', '2020-11-02T08:00:00.000Z', 'high', 'one@example.com'],
    )
    const [file] = mail.attachments
    assert.deepEqual(
      [file.fileName, file.length, file.filename, file.size],
      ['logo.png', 6, 'logo.png', 6],
    )
    assert.match(mail.sizeHuman, /^(?:\d+ bytes|\d+(?:\.\d{1,2})? KB)$/)
    const [item] = (await api.get('/api/email/summary')).body.items
    const { id, time, read, subject, from, to, size, sizeHuman } = mail
    assert.deepEqual(item, {
      ...{ id, time, read, subject, from, to, size, sizeHuman },
      ...{ hasAttachments: true, attachmentCount: 1, preview: 'Look:' },
    })
    const html = (await api.get(`/email/${id}/html`)).text
    const [, url = ''] = /src="([^"]+)"/.exec(html) ?? []
    assert.equal((await api.get(url)).text, 'pixels')
  })

  it('filters, sorts and pages', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    for (const subject of ['Welcome', 'Your order', 'Welcome back']) {
      const html = `<p>Hidden in HTML: ${subject}</p>`
      await send(service, { to: 'Ada <ada@a.example>', subject, text: `${subject}: text`, html })
    }
    const subjects = async (path: string) => {
      const { body } = await api.get(path)
      const mails: readonly { readonly subject: string }[] = body.items ?? body
      return mails.map(({ subject }) => subject)
    }
    assert.deepEqual(await subjects('/email?subject=WELCOME'), ['Welcome', 'Welcome back'])
    assert.deepEqual(await subjects('/email?to.0.name=ada&sort=desc&limit=1'), ['Welcome back'])
    assert.deepEqual(await subjects('/email?limit=0'), [])
    const [first] = (await api.get('/email')).body
    await api.get(`/email/${first.id}`)
    assert.deepEqual(await subjects('/email/summary?sort=asc&limit=1'), ['Welcome'])
    assert.deepEqual(await subjects('/email/summary?search=ORDER:'), ['Your order'])
    assert.deepEqual(await subjects('/email/summary?search=hidden'), [])
    assert.deepEqual(await subjects('/email/summary?unread=true'), ['Welcome back', 'Your order'])
    const both = await api.get('/api/email/summary?search=welcome&unread=true&limit=0')
    const { items, ...numbers } = both.body
    assert.deepEqual(numbers, { total: 1, storeTotal: 3, unread: 2, skip: 0, limit: 50 })
    assert.equal(items[0].preview, 'Welcome back: text')
    for (const ids of [undefined, 'x', [1], ['']]) {
      const { status, body } = await api.post('/email/delete', { ids })
      const error = 'Request body must include an ids array of email IDs'
      assert.deepEqual([status, body], [400, { error }])
    }
  })

  it('answers errors in JSON, and no text as HTML', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    await send(service, {
      to: 'ada@elsewhere.example',
      text: '<script>alert(1)</script>',
      headers: { Importance: 'low' },
    })
    const [mail] = (await api.get('/api/email')).body
    assert.equal(mail.priority, 'low')
    const noHtml = await api.get(`/api/email/${mail.id}/html`)
    assert.deepEqual([noHtml.status, noHtml.body], [404, { error: 'Email has no HTML content' }])
    for (const path of ['', '/html', '/source', '/attachment/a.txt']) {
      const missing = await api.get(`/email/msg_unknown${path}`)
      assert.deepEqual([missing.status, missing.body], [404, { error: 'Email was not found' }])
    }
    const noFile = await api.get(`/email/${mail.id}/attachment/a.txt`)
    assert.equal(noFile.status, 404)
    assert.equal(typeof noFile.body.error, 'string')
  })
})
