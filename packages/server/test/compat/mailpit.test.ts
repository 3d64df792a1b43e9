import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { MailpitClient } from 'mailpit-api'
import { WebSocket } from 'ws'
import { createApiClient } from '../testing-api-client.ts'
import { sharedService } from '../testing-start-service.ts'
import { send, sharedCatchAll } from './testing-catch-all.ts'

/** A 1 by 1 PNG. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe("Mailpit's client for Node", () => {
  const catchAll = sharedCatchAll()
  const keyed = sharedService()

  it('lists, searches and reads what was sent to anybody', async () => {
    const service = await catchAll()
    const mailpit = new MailpitClient(service.httpUrl)
    assert.equal((await mailpit.listMessages()).messages_count, 0)
    await send(service, {
      to: ['Ada <ada@elsewhere.example>', 'bob+urgent@elsewhere.example'],
      cc: 'carol@elsewhere.example',
      bcc: 'dave@hidden.example',
      replyTo: 'help@example.com',
      subject: 'Your order',
      text: 'Thank you, Ada.',
      html: '<p>Thank you, <b>Ada</b>.</p><img src="cid:logo"><script>alert(1)</script>',
      headers: { 'X-Tags': 'orders, Shop' },
      attachments: [
        { filename: 'invoice.pdf', content: '%PDF-1.7 test', contentType: 'application/pdf' },
        { filename: 'logo.png', content: PNG, cid: 'logo' },
      ],
    })
    await send(service, { to: 'eve@elsewhere.example', subject: 'Another', text: 'Hello' })

    const list = await mailpit.listMessages()
    assert.deepEqual([list.total, list.unread, list.messages_count], [2, 2, 2])
    assert.deepEqual(list.tags, ['orders', 'Shop', 'urgent'])
    assert.deepEqual(
      list.messages.map(({ Subject }) => Subject),
      ['Another', 'Your order'],
    )
    const found = await mailpit.searchMessages({ query: 'addressed:dave@hidden.example is:unread' })
    assert.equal(found.messages_count, 1)
    const bccOnly = async (address: string) =>
      (await mailpit.searchMessages({ query: `bcc:${address}` })).messages_count
    assert.equal(await bccOnly('dave@hidden.example'), 1)
    for (const named of ['ada', 'carol']) {
      assert.equal(await bccOnly(`${named}@elsewhere.example`), 0)
    }
    const [summary] = found.messages
    assert.ok(summary)
    assert.deepEqual(summary.From, { Name: 'Shop', Address: 'shop@example.com' })
    assert.deepEqual(
      [summary.To, summary.Cc, summary.Bcc, summary.ReplyTo].map((all) =>
        all?.map(({ Address }) => Address),
      ),
      [
        ['ada@elsewhere.example', 'bob+urgent@elsewhere.example'],
        ['carol@elsewhere.example'],
        ['dave@hidden.example'],
        ['help@example.com'],
      ],
    )
    assert.deepEqual(
      [summary.Read, summary.Attachments, summary.Snippet],
      [false, 1, 'Thank you, Ada.'],
    )

    const message = await mailpit.getMessageSummary(summary.ID)
    assert.match(message.HTML, /<script>alert\(1\)<\/script>/)
    assert.equal(message.Text.trim(), 'Thank you, Ada.')
    assert.equal(message.ReturnPath, 'shop@example.com')
    const [pdf] = message.Attachments
    const [logo] = message.Inline
    assert.deepEqual(
      [pdf?.FileName, pdf?.ContentType, pdf?.Size],
      ['invoice.pdf', 'application/pdf', 13],
    )
    const blob = await mailpit.getMessageAttachment(summary.ID, pdf?.PartID ?? '')
    assert.deepEqual([blob.type, await blob.text()], ['application/pdf', '%PDF-1.7 test'])
    const thumb = await mailpit.getAttachmentThumbnail(summary.ID, logo?.PartID ?? '')
    assert.equal(thumb.type, 'image/jpeg')
    const jpeg = Buffer.from(await thumb.arrayBuffer())
    // Height and width follow the marker of the frame, its length and its precision.
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5
    assert.deepEqual([jpeg.readUInt16BE(frame + 2), jpeg.readUInt16BE(frame)], [180, 120])
    assert.equal((await mailpit.listMessages()).unread, 1)
    const headers = await mailpit.getMessageHeaders(summary.ID)
    assert.deepEqual(headers['Subject'], ['Your order'])
    assert.ok(headers['Message-Id'])
    assert.match(await mailpit.getMessageSource(), /^Return-Path: /)
    assert.match(
      await mailpit.renderMessageHTML(summary.ID),
      /src="\/api\/v1\/message\/msg_\w+\/part\/1\.2\.2"/,
    )
    assert.match(await mailpit.renderMessageText(summary.ID), /Thank you, Ada/)
    const check = await mailpit.htmlCheck(summary.ID)
    assert.ok(check.Total.Nodes > 0)
    await assert.rejects(mailpit.htmlCheck('latest'), /400 Bad Request/)
    assert.deepEqual(await mailpit.linkCheck(summary.ID), { Errors: 0, Links: [] })
  })

  it('reads a mail by the id in the reply of SMTP', async () => {
    const service = await catchAll()
    const reply = await send(service, { to: 'ada@elsewhere.example', subject: 'By its id' })
    const [, id = ''] = /^250 2\.0\.0 Ok: queued as (\S+)$/.exec(reply) ?? []
    const mailpit = new MailpitClient(service.httpUrl)
    assert.equal((await mailpit.getMessageSummary(id)).Subject, 'By its id')
    // A sender is told nothing of the messages of other inboxes.
    const inbox = await (await service.register()).inboxes.create()
    const other = await send(service, { to: inbox.emailAddress })
    assert.equal(other, '250 2.0.0 Message stored')
    const both = await send(service, { to: ['bob@elsewhere.example', inbox.emailAddress] })
    assert.equal(both, '250 2.0.0 Message stored')
  })

  it('checks links, style sheets and images, with redirects followed on request', async () => {
    const service = await catchAll()
    const asked: string[] = []
    await using site = createServer(({ url = '' }, response) => {
      asked.push(url)
      if (url === '/moved') response.writeHead(302, { location: '/gone.png' }).end()
      else response.writeHead(url === '/gone.png' ? 404 : 200).end()
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    const { port } = site.address() as AddressInfo // It listens on a port.
    const root = `http://127.0.0.1:${port}`
    await send(service, {
      to: 'ada@elsewhere.example',
      text: `Read ${root}/moved or ${root}/plain now`,
      html: `<link rel="stylesheet" href="${root}/style.css"><img src="${root}/gone.png">
        <img src="cid:logo"><a href="mailto:help@example.com">Help</a><a href="${root}/moved">x</a>
        <img src="${root}/gone.png"><script src="${root}/script.js"></script>`,
    })
    const mailpit = new MailpitClient(service.httpUrl)
    const found = await mailpit.linkCheck('latest')
    const shown = found.Links.map(({ URL, ...rest }) => ({ ...rest, URL: URL.replace(root, '') }))
    assert.deepEqual(shown, [
      { StatusCode: 302, Status: 'Found', URL: '/moved' },
      { StatusCode: 200, Status: 'OK', URL: '/style.css' },
      { StatusCode: 404, Status: 'Not Found', URL: '/gone.png' },
      { StatusCode: 200, Status: 'OK', URL: '/plain' },
    ])
    assert.equal(found.Errors, 1)
    assert.deepEqual(asked.sort(), ['/gone.png', '/moved', '/plain', '/style.css'])
    const followed = await mailpit.linkCheck('latest', true)
    assert.deepEqual([followed.Errors, followed.Links[0]?.StatusCode], [2, 404])
  })

  it('finds the address of a link in the text of a mail with HTML only', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    const html = '<p><a href="https://shop.example/verify?t=abc">Click here</a> to verify</p>'
    await send(service, { to: 'ada@elsewhere.example', html })
    const shown = 'Click here ( https://shop.example/verify?t=abc ) to verify'
    const { body } = await api.get('/api/v1/message/latest')
    assert.deepEqual([body.Text, body.HTML.trim()], [shown, html])
    assert.equal((await api.get('/view/latest.txt')).text, shown)
    const [mail] = (await api.get('/api/email')).body
    assert.equal(mail.text, 'Click here [https://shop.example/verify?t=abc] to verify')
    const { messages } = (await api.get('/api/v1/messages')).body
    assert.equal(messages[0].Snippet, 'Click here to verify')
    // A plain text stays as it was sent.
    await send(service, { to: 'ada@elsewhere.example', html, text: 'Click here to verify' })
    const latest = await api.get('/api/v1/message/latest')
    assert.equal(latest.body.Text, 'Click here to verify')
  })

  it('shows headers as they are written, and a Message-ID of each mail', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    const written = '=?utf-8?Q?Gr=C3=BC=C3=9Fe?='
    const raw = `From: a@b.example\r\nSubject: ${written}\r\n aus Berlin\r\n\r\nx\r\n`
    await send(service, {
      raw,
      envelope: { from: 'a@b.example', to: ['ada@elsewhere.example'] },
    })
    const { Subject } = (await api.get('/api/v1/message/latest/headers')).body
    assert.deepEqual(Subject, [`${written} aus Berlin`])
    const [summary] = (await api.get('/api/v1/messages')).body.messages
    assert.equal(summary.Subject, 'Grüße aus Berlin')
    assert.equal(summary.MessageID, `${summary.ID}@mayfly`)
    const message = (await api.get('/api/v1/message/latest')).body
    assert.equal(message.MessageID, summary.MessageID)
  })

  it('marks, tags and deletes', async () => {
    const service = await catchAll()
    const mailpit = new MailpitClient(service.httpUrl)
    for (const subject of ['one', 'two', 'three']) {
      await send(service, { to: 'ada@elsewhere.example', subject, text: subject })
    }
    const [three, two] = (await mailpit.listMessages()).messages
    assert.ok(two && three)
    assert.equal(await mailpit.setReadStatus({ IDs: [two.ID], Read: true }), 'ok')
    assert.equal(await mailpit.setReadStatus({ Search: 'subject:three', Read: true }), 'ok')
    assert.equal((await mailpit.listMessages()).unread, 1)
    assert.equal(await mailpit.setReadStatus({ Read: false }), 'ok')
    assert.equal((await mailpit.listMessages()).unread, 3)

    assert.equal(await mailpit.setTags({ IDs: [two.ID, three.ID], Tags: ['Welcome', 'a<b'] }), 'ok')
    assert.deepEqual(await mailpit.getTags(), ['a b', 'Welcome'])
    assert.deepEqual((await mailpit.getInfo()).Tags, { 'a b': 2, Welcome: 2 })
    assert.equal(await mailpit.renameTag('Welcome', 'Hello'), 'ok')
    assert.equal((await mailpit.searchMessages({ query: 'tag:hello' })).messages_count, 2)
    assert.equal(await mailpit.deleteTag('a b'), 'ok')
    await assert.rejects(mailpit.deleteTag('a b'), /400 .*tag not found: a b/)
    assert.deepEqual(await mailpit.getTags(), ['Hello'])

    assert.equal(await mailpit.deleteMessages({ IDs: [two.ID] }), 'ok')
    assert.equal(await mailpit.deleteMessagesBySearch({ query: 'subject:three' }), 'ok')
    const left = await mailpit.listMessages()
    assert.deepEqual(
      left.messages.map(({ Subject }) => Subject),
      ['one'],
    )
    assert.equal(await mailpit.deleteMessages(), 'ok')
    assert.equal((await mailpit.listMessages()).total, 0)
  })

  it('sends, and the mail has the headers that Mailpit gives it', async () => {
    const service = await catchAll()
    const mailpit = new MailpitClient(service.httpUrl)
    const { ID } = await mailpit.sendMessage({
      From: { Email: 'from@example.com', Name: 'From Name' },
      To: [{ Email: 'to@example.com', Name: 'To Name' }],
      Cc: [{ Email: 'cc@example.com' }],
      Bcc: ['bcc@example.com'],
      ReplyTo: [{ Email: 'reply@example.com' }],
      Subject: 'Sent by the API',
      Text: 'Text body',
      HTML: '<p>HTML body</p>',
      Tags: ['api'],
      Headers: { 'List-Unsubscribe': '<https://example.com/u>' },
      Attachments: [{ Filename: 'a.txt', Content: Buffer.from('hello').toString('base64') }],
    })
    const headers = await mailpit.getMessageHeaders(ID)
    assert.deepEqual(Object.keys(headers), [
      ...['Bcc', 'Cc', 'Content-Type', 'Date', 'From', 'List-Unsubscribe', 'Message-Id'],
      ...['Mime-Version', 'Reply-To', 'Return-Path', 'Subject', 'To', 'X-Tags'],
    ])
    const message = await mailpit.getMessageSummary(ID)
    assert.deepEqual(message.Bcc, [{ Name: '', Address: 'bcc@example.com' }])
    assert.deepEqual(message.Tags, ['api'])
    assert.deepEqual(message.ListUnsubscribe.Links, ['https://example.com/u'])
    assert.equal(message.Attachments[0]?.FileName, 'a.txt')
    const bad = { From: { Email: 'from@example.com' }, To: [{ Email: 'nobody' }], Subject: 'x' }
    await assert.rejects(mailpit.sendMessage(bad), /400 .*invalid To address: nobody/)
  })

  it('reads what is sent as Go does, and gives it back as it was', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    const post = (mail: object) =>
      api.post('/api/v1/send', {
        From: { Email: 'from@example.com', Name: null },
        To: [{ Email: 'to@example.com' }],
        ...mail,
      })
    const read = async (mail: object) => {
      const { body } = await post(mail)
      return (await api.get(`/api/v1/message/${body.ID}`)).body
    }
    const empty = await read({ Subject: null, Text: null, HTML: null, Tags: [null] })
    assert.deepEqual([empty.Subject, empty.Text, empty.HTML], ['', '', ''])
    for (const text of ['t', 't\n', 'Grüße', 'a  ']) {
      assert.equal((await read({ Text: text })).Text, text)
    }
    assert.equal((await read({ HTML: '<p>h</p>' })).HTML, '<p>h</p>')
    const Content = Buffer.from('hello').toString('base64')
    const { Attachments } = await read({
      Text: 't',
      Attachments: [
        { Content, ContentType: null, ContentID: null },
        { Content: `data:text/plain;base64,${Content.slice(0, 4)}\r\n${Content.slice(4)}` },
      ],
    })
    assert.deepEqual(
      Attachments.map(({ Size }: { Size: number }) => Size),
      [5, 5],
    )
    for (const wrong of ['!!!!', Content.slice(0, -1)]) {
      const refused = await post({ Attachments: [{ Content: wrong, Filename: 'a.txt' }] })
      assert.equal(refused.status, 400, wrong)
    }
  })

  it('reads the service, and sets chaos as faults', async () => {
    const service = await catchAll()
    const mailpit = new MailpitClient(service.httpUrl)
    assert.match((await mailpit.getInfo()).Version, /^v1\./)
    assert.equal((await mailpit.getConfiguration()).ChaosEnabled, true)
    const off = await mailpit.getChaosTriggers()
    assert.deepEqual(off.Recipient, { ErrorCode: 451, Probability: 0 })
    await mailpit.setChaosTriggers({ Recipient: { ErrorCode: 550, Probability: 100 } })
    const refused = send(service, { to: 'ada@elsewhere.example', text: 'x' })
    await assert.rejects(refused, /550 Chaos recipient error/)
    await mailpit.setChaosTriggers({ Sender: { ErrorCode: 421, Probability: 100 } })
    const refusedSender = send(service, { to: 'ada@elsewhere.example', text: 'x' })
    await assert.rejects(refusedSender, {
      command: 'MAIL FROM',
      response: '421 Chaos sender error',
    })
    await mailpit.setChaosTriggers()
    await send(service, { to: 'ada@elsewhere.example', text: 'x' })
    assert.deepEqual(await mailpit.getChaosTriggers(), off)
    await assert.rejects(mailpit.spamAssassinCheck(), /404 Not Found/)
    await assert.rejects(
      mailpit.releaseMessage('latest', { To: ['a@b.example'] }),
      /400 Bad Request/,
    )
    await assert.rejects(mailpit.getMessageSummary('msg_unknown'), /404 Not Found/)
  })

  it('waits for what arrives, with a key and for one project of several', async () => {
    const service = await keyed()
    const dev = await service.register()
    const shop = await dev.inboxes.create({ catchAll: true })
    const blog = await dev.inboxes.create({ catchAll: true })
    const ordinary = await dev.inboxes.create()
    const client = (username: string, password: string) =>
      new MailpitClient(service.httpUrl, { auth: { username, password } })
    const waiting = client(shop.id, dev.key).waitForMessage(
      { query: 'subject:Hi' },
      { interval: 20 },
    )
    const mail = { to: 'ada@elsewhere.example', text: 'Hello' }
    await send(service, { ...mail, subject: 'Hi' }, { user: shop.id, pass: dev.key })
    await send(service, { ...mail, subject: 'Post' }, { user: blog.emailAddress, pass: dev.key })
    await service.sendMail({ to: ordinary.emailAddress, subject: 'Own' })
    const received = await waiting
    assert.deepEqual([received.Subject, received.Username], ['Hi', shop.id])
    const subjects = async (mailpit: MailpitClient) =>
      (await mailpit.listMessages()).messages.map(({ Subject }) => Subject)
    assert.deepEqual(await subjects(client(blog.id, dev.key)), ['Post'])
    assert.deepEqual(await subjects(client(dev.key, '')), ['Post', 'Hi'])
    assert.deepEqual(await subjects(client('anybody', dev.key)), ['Post', 'Hi'])
    const stranger = await service.register()
    assert.deepEqual(await subjects(client(stranger.key, '')), [])
    for (const [user, password] of [
      [shop.id, stranger.key],
      [ordinary.id, dev.key],
      ['', ''],
      ['user', 'password'],
    ] as const) {
      await assert.rejects(client(user, password).listMessages(), /401 Unauthorized/)
    }
    await assert.rejects(new MailpitClient(service.httpUrl).listMessages(), /401 Unauthorized/)
    const foreign = client(stranger.key, '').getMessageSummary(received.ID)
    await assert.rejects(foreign, /404 Not Found/)
  })

  it('follows events by WebSocket', async () => {
    const service = await catchAll()
    const url = `${service.httpUrl.replace('http', 'ws')}/api/events`
    const socket = new WebSocket(url)
    type Data = Record<string, unknown>
    const events: { Type: string; Data: Data }[] = []
    socket.on('message', (data) => events.push(JSON.parse(String(data))))
    const until = async (type: string, isWanted: (data: Data) => boolean = () => true) => {
      for (;;) {
        const found = events.find(({ Type, Data }) => Type === type && isWanted(Data))
        if (found !== undefined) return found.Data
        await once(socket, 'message')
      }
    }
    await once(socket, 'open')
    await send(service, { to: 'ada@elsewhere.example', subject: 'Live', text: 'x' })
    const { ID, Subject, Read } = await until('new')
    assert.deepEqual([Subject, Read], ['Live', false])
    assert.equal((await until('stats'))['Total'], 1)
    const mailpit = new MailpitClient(service.httpUrl)
    await mailpit.getMessageSummary(String(ID))
    // A message is updated, too, when its sender was checked.
    const isRead = await until('update', (data) => data['Read'] === true)
    assert.deepEqual(isRead, { ID, Read: true })
    await mailpit.deleteMessages({ IDs: [String(ID)] })
    assert.deepEqual(await until('delete'), { ID })
    socket.close()
    await once(socket, 'close')

    for (const [headers, status] of [
      [{ origin: 'https://evil.example' }, 403],
      [{ authorization: 'Bearer mf_live_wrong' }, 401],
    ] as const) {
      const refused = new WebSocket(url, { headers })
      const [, response] = await once(refused, 'unexpected-response')
      assert.equal(response.statusCode, status)
    }
  })

  it('changes and deletes no more messages than it names', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    for (const subject of ['One', 'Two', 'Three']) {
      await send(service, { to: 'ada@elsewhere.example', subject, text: 'x' })
    }
    const unread = async () => {
      const { messages } = (await api.get('/api/v1/messages')).body
      const isUnread = ({ Read }: { Read: boolean }) => !Read
      return messages.filter(isUnread).map(({ Subject }: { Subject: string }) => Subject)
    }
    const put = (body: object) =>
      api.send('PUT', '/api/v1/messages', { rawBody: JSON.stringify(body) })
    const two = (await api.get('/api/v1/search?query=subject:two')).body.messages[0].ID
    // Names in any case, as Go reads them.
    await put({ ids: [two], read: true })
    assert.deepEqual(await unread(), ['Three', 'One'])
    for (const rawBody of ['', '{"IDs":']) {
      assert.equal((await api.send('PUT', '/api/v1/messages', { rawBody })).status, 400)
    }
    for (const term of ['is:starred', 'has:image', 'before:soon', 'larger:much']) {
      await put({ Search: term, Read: true })
      await api.delete(`/api/v1/search?query=${term}`)
      assert.equal((await api.get(`/api/v1/search?query=${term}`)).body.messages_count, 0, term)
    }
    await api.delete('/api/v1/search?query=before:%222020-01-01%2010:00%22')
    assert.deepEqual(await unread(), ['Three', 'One'])
    await api.delete('/api/v1/messages', { rawBody: JSON.stringify({ ids: [two] }) })
    assert.equal((await api.get('/api/v1/messages')).body.total, 2)
    const from = { from: { email: 'a@b.example' }, to: [{ email: 'c@d.example' }], subject: 'Sent' }
    assert.equal((await api.post('/api/v1/send', from)).status, 200)
  })

  it('never gets the HTML of a mail without a sandbox', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    await send(service, {
      to: 'ada@elsewhere.example',
      html: '<script>alert(1)</script>',
      attachments: [{ filename: 'a.svg', content: '<svg/>', contentType: 'image/svg+xml' }],
    })
    const { body } = await api.get('/api/v1/message/latest')
    const paths = [
      `/view/${body.ID}.html`,
      `//view/${body.ID}.html`,
      '/view/latest.html',
      `/view/${body.ID}.txt`,
      `/api/v1/message/${body.ID}/raw`,
      `/api/v1/message/${body.ID}/raw?dl=1`,
    ]
    for (const path of paths) {
      // Not by `new URL`, which takes a host from two slashes.
      const answer = await api.get(`${service.httpUrl}${path}`)
      assert.equal(answer.status, 200, path)
      assert.match(String(answer.headers['content-security-policy']), /^sandbox /, path)
      assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/, path)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    }
    const latest = await api.get('/view/latest')
    assert.deepEqual([latest.status, latest.headers.location], [302, `/view/${body.ID}.html`])
    const json = await api.get(`/api/v1/message/${body.ID}`)
    assert.match(String(json.headers['content-type']), /^application\/json/)
  })
})
