import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { first } from '../testing-first.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { send, startCatchAll } from './testing-catch-all.ts'

/** One path of each API, with the id of a message. */
const PATHS = (id: string) => [
  `/api/v1/message/${id}`,
  `/api/v1/message/${id}/raw`,
  `/api/v1/message/${id}/headers`,
  `/view/${id}.html`,
  `/email/${id}`,
  `/email/${id}/html`,
  `/api/v1/messages/${id}/download`,
]

const basic = (user: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
})

describe('the APIs of mail catchers', () => {
  const shared = sharedService()

  it('need a key where mail without credentials is not taken', async () => {
    const { anonymous } = await shared()
    const paths = ['/api/v1/messages', '/api/v2/messages', '/email', '/api/email', '/view/latest']
    for (const path of [...paths, '/mailhog/api/v1/messages', '/api/v1/info']) {
      const { status, headers, text } = await anonymous.get(path)
      assert.deepEqual([status, text], [401, 'Unauthorized.\n'], path)
      assert.equal(headers['www-authenticate'], 'Basic realm="Login"')
      assert.equal((await anonymous.get(path, basic('mf_live_wrong', ''))).status, 401, path)
    }
  })

  it('count keys of HTTP Basic towards the requests per minute', async () => {
    await using service = await startService({
      env: { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: 'requestsPerMinute=5' },
    })
    const dev = await service.register()
    const call = () => service.anonymous.get('/api/v1/messages', basic(dev.key, ''))
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await call()).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
    const refused = await call()
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await dev.get('/v1/inboxes')).status, 429)
  })

  it('show nothing of other accounts, nor of inboxes that are no catch-all inboxes', async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const project = await alice.inboxes.create({ catchAll: true })
    const ordinary = await alice.inboxes.create()
    const auth = { user: project.id, pass: alice.key }
    await send(service, { to: 'ada@elsewhere.example', html: '<p>secret</p>' }, auth)
    await service.sendMail({ to: ordinary.emailAddress, subject: 'own' })
    const { id } = first((await project.listMessages()).messages)
    const { id: ownId } = first((await ordinary.listMessages()).messages)
    for (const path of PATHS(id)) {
      const answer = await service.anonymous.get(path, basic(project.id, alice.key))
      assert.equal(answer.status, 200, path)
      assert.equal((await bob.get(path)).status, 404, path)
      assert.equal((await service.anonymous.get(path, basic(project.id, bob.key))).status, 401)
    }
    for (const path of PATHS(ownId)) assert.equal((await alice.get(path)).status, 404, path)
    assert.equal((await bob.get(`/api/v1/messages/${id}`)).text, 'null')
    assert.equal((await bob.get('/api/v1/messages')).body.total, 0)
    assert.equal((await bob.get('/api/v2/messages')).body.total, 0)
    assert.deepEqual((await bob.get('/email')).body, [])
    const json = { 'content-type': 'application/json' }
    const ids = JSON.stringify({ IDs: [id, ownId] })
    await bob.send('DELETE', '/api/v1/messages', { rawBody: ids, headers: json })
    await bob.send('DELETE', '/api/v1/messages')
    await alice.send('DELETE', '/api/v1/messages', {
      rawBody: JSON.stringify({ IDs: [ownId] }),
      headers: json,
    })
    assert.equal((await project.listMessages()).messages.length, 1)
    assert.equal((await ordinary.listMessages()).messages.length, 1)
  })

  it('take no key by HTTP Basic that is no bearer key, and none that was revoked', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const { apiKey, key } = await dev.keys.create({ name: 'suite' })
    const statusOf = async (user: string, password: string) =>
      (await service.anonymous.get('/api/v1/messages', basic(user, password))).status
    assert.equal(await statusOf(project.id, apiKey), 200)
    assert.equal(await statusOf(apiKey, ''), 200)
    const wrong = [
      apiKey.slice(0, -1),
      `${apiKey}x`,
      `${apiKey} `,
      apiKey.toUpperCase(),
      apiKey.slice(0, 16),
      `mf_live_${'x'.repeat(5_000)}`,
      'mf_',
    ]
    for (const secret of wrong) {
      assert.equal(await statusOf(project.id, secret), 401, secret)
      assert.equal(await statusOf(secret, ''), 401, secret)
    }
    await dev.keys.revoke(key.id)
    assert.equal(await statusOf(project.id, apiKey), 401)
    assert.equal(await statusOf(apiKey, ''), 401)
  })

  it('answer the same for a catch-all inbox of another account and for one that does not exist', async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const project = await alice.inboxes.create({ catchAll: true })
    const unknown = `${project.id.slice(0, -4)}zzzz`
    for (const path of ['/api/v1/messages', '/api/v2/messages', '/email', '/api/v1/chaos']) {
      const answers = []
      for (const guessed of [project.id, project.emailAddress, unknown, 'nobody@mayfly.test']) {
        const { status, text } = await service.anonymous.get(path, basic(guessed, bob.key))
        answers.push([status, text])
      }
      assert.deepEqual(new Set(answers.map(String)), new Set(['401,Unauthorized.\n']), path)
    }
    const replies = []
    for (const user of [project.id, project.emailAddress, unknown, 'nobody@mayfly.test']) {
      const refused = send(service, { to: 'ada@elsewhere.example' }, { user, pass: bob.key })
      replies.push(await refused.catch(({ response }: { response: string }) => response))
    }
    assert.deepEqual(new Set(replies), new Set(['535 5.7.8 Authentication credentials invalid']))
  })

  it('show a mail of 100 recipients once, with all of them', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const to = Array.from({ length: 100 }, (_, i) => `user${i}@elsewhere.example`)
    const envelope = { from: 'shop@example.com', to }
    const mail = { to: first(to), envelope, text: 'Hello' }
    await send(service, mail, { user: project.id, pass: dev.key })
    const [mailpit] = (await dev.get('/api/v1/messages')).body.messages
    assert.deepEqual([mailpit.To.length, mailpit.Bcc.length], [1, 99])
    const mailhog = (await dev.get('/api/v2/messages')).body
    assert.deepEqual([mailhog.total, mailhog.items[0].To.length], [1, 100])
    const [maildev, ...others] = (await dev.get('/email')).body
    assert.deepEqual([maildev.envelope.to.length, others.length], [100, 0])
  })

  it('give what a sender wrote only in a sandbox, on every path', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const mail = {
      to: 'ada@elsewhere.example',
      text: 'Hello',
      html: '<script>alert(1)</script>',
      attachments: [
        { filename: 'a.html', content: '<script>alert(1)</script>', contentType: 'text/html' },
        { filename: 'a.svg', content: '<svg onload="x"/>', contentType: 'image/svg+xml' },
      ],
    }
    await send(service, mail, { user: project.id, pass: dev.key })
    const { ID, Attachments } = (await dev.get('/api/v1/message/latest')).body
    const parts: readonly { PartID: string }[] = Attachments
    assert.equal(parts.length, 2)
    const paths = [
      ...[`/view/${ID}.html`, `/view/${ID}.html?embed=1`, `/view/${ID}.txt`],
      ...[`/api/v1/message/${ID}/raw`, `/api/v1/message/${ID}/raw?dl=1`],
      ...parts.map(({ PartID }) => `/api/v1/message/${ID}/part/${PartID}`),
      ...['', '/mailhog'].flatMap((prefix) => [
        `${prefix}/api/v1/messages/${ID}/download`,
        `${prefix}/api/v1/messages/${ID}/mime/part/1/download`,
        `${prefix}/api/v1/messages/${ID}/mime/part/2/download`,
      ]),
      ...['', '/api'].flatMap((prefix) =>
        ['html', 'source', 'download', 'attachment/a.html', 'attachment/a.svg'].map(
          (view) => `${prefix}/email/${ID}/${view}`,
        ),
      ),
    ]
    for (const path of paths) {
      const { status, headers, text } = await dev.get(path)
      assert.equal(status, 200, `${path}: ${text}`)
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /^sandbox (?!.*allow-scripts)(?!.*allow-same-origin)/, path)
      assert.match(policy, /default-src 'none'/, path)
      assert.equal(headers['x-content-type-options'], 'nosniff', path)
      const isPage = /[./]html$/.test(path.replace(/\?.*/, '')) && !path.includes('attachment')
      const type = String(headers['content-type'])
      if (!isPage) assert.doesNotMatch(type, /html|svg|xml/, path)
    }
    // JSON has the HTML as it is: a browser does not show it as a page.
    for (const path of [`/api/v1/message/${ID}`, '/api/v2/messages', '/email', `/email/${ID}`]) {
      const { headers, text } = await dev.get(path)
      assert.match(text, /script/, path)
      assert.match(String(headers['content-type']), /^(?:application|text)\/json/, path)
      assert.equal(headers['x-content-type-options'], 'nosniff', path)
    }
  })

  it('refuse what pages of other sites send', async () => {
    const service = await shared()
    const dev = await service.register()
    await dev.inboxes.create({ catchAll: true })
    const origin = { origin: 'https://evil.example' }
    assert.equal((await dev.get('/api/v1/messages', { headers: origin })).status, 403)
    const body = { From: { Email: 'a@b.example' }, To: [{ Email: 'c@d.example' }] }
    assert.equal((await dev.post('/api/v1/send', body, { headers: origin })).status, 403)
    const own = { origin: service.httpUrl }
    assert.equal((await dev.post('/api/v1/send', body, { headers: own })).status, 200)
  })

  it('take a body whose length is declared and one whose length is not, up to their limits', async () => {
    const service = await shared()
    const dev = await service.register()
    await dev.inboxes.create({ catchAll: true })
    const mail = (chars: number) => ({
      From: { Email: 'a@b.example' },
      To: [{ Email: 'c@d.example' }],
      Text: 'a'.repeat(chars),
    })
    const tags = (chars: number) => ({ Tags: ['a'.repeat(chars)], IDs: [] })
    const cases = [
      ['POST', '/api/v1/send', mail(100), 200],
      ['POST', '/api/v1/send', mail(1_000_000), 200],
      ['PUT', '/api/v1/tags', tags(100_000), 200],
      ['PUT', '/api/v1/tags', tags(300_000), 413],
    ] as const
    for (const [method, path, body, expected] of cases) {
      const rawBody = Buffer.from(JSON.stringify(body))
      for (const length of [{ 'content-length': String(rawBody.length) }, {}]) {
        const answer = await sendInParts(new URL(path, service.httpUrl), rawBody, {
          method,
          headers: { ...basic('', dev.key).headers, ...length },
        })
        assert.equal(answer, expected, `${path}, ${rawBody.length} bytes`)
      }
    }
  })

  it('hold two of the largest bodies of an account at a time, and refuse a third', async () => {
    const service = await shared()
    const [dev, other] = [await service.register(), await service.register()]
    for (const account of [dev, other]) await account.inboxes.create({ catchAll: true })
    const size = 29 * 1024 * 1024
    // All but the last byte: none is answered before its end, unless it is refused.
    const sending = [1, 2, 3].map(() => {
      const asked = request(new URL('/api/v1/send', service.httpUrl), {
        method: 'POST',
        headers: { ...basic('', dev.key).headers, 'content-length': String(size) },
      })
      asked.on('error', () => {}).write(Buffer.alloc(size - 1, 'x'))
      const answer = once(asked, 'response').then(([response]) => ({ asked, response }))
      return { asked, answer }
    })
    const refused = await Promise.race(sending.map(({ answer }) => answer))
    assert.equal(refused.response.statusCode, 503)
    assert.ok(Number(refused.response.headers['retry-after']) > 0)
    assert.match(JSON.parse(await text(refused.response)).Error, /^Too many large bodies/)
    refused.asked.destroy()
    const mail = { From: { Email: 'a@b.example' }, To: [{ Email: 'c@d.example' }], Text: 'x' }
    assert.equal((await other.post('/api/v1/send', mail)).status, 200)
    for (const { asked, answer } of sending.filter((one) => one.asked !== refused.asked)) {
      asked.end('x')
      const { response } = await answer
      // It is no JSON.
      assert.equal(response.statusCode, 400)
      response.resume()
    }
    assert.equal((await dev.post('/api/v1/send', mail)).status, 200)
  })

  it('refuse a list of ids that is too long, and do not take it for none, which means all', async () => {
    await using service = await startCatchAll()
    await send(service, { to: ['ada@elsewhere.example'], subject: 'kept', text: 'x' })
    const { anonymous } = service
    const IDs = new Array(5_001).fill('x')
    for (const [method, path] of [
      ['DELETE', '/api/v1/messages'],
      ['PUT', '/api/v1/messages'],
      ['POST', '/email/delete'],
    ] as const) {
      const answer = await anonymous.send(method, path, {
        rawBody: JSON.stringify({ IDs, ids: IDs, Read: true }),
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(answer.status, 400, `${method} ${path}`)
      assert.match(answer.text, /at most 5000 values/, `${method} ${path}`)
    }
    const { messages_count: count, messages_unread: unread } = (
      await anonymous.get('/api/v1/messages')
    ).body
    assert.deepEqual([count, unread], [1, 1])
  })

  it('answer malformed requests without a 500', async () => {
    const service = await shared()
    const dev = await service.register()
    await dev.inboxes.create({ catchAll: true })
    const api = createApiClient(service.httpUrl, dev.key)
    const bodies = [
      '',
      'x',
      'null',
      '[]',
      '{"IDs":1}',
      '{"IDs":[{}]}',
      '{"Tags":3}',
      '{"Read":"x"}',
    ]
    const targets = [
      ['PUT', '/api/v1/messages'],
      ['DELETE', '/api/v1/messages'],
      ['PUT', '/api/v1/tags'],
      ['PUT', '/api/v1/tags/x'],
      ['PUT', '/api/v1/chaos'],
      ['POST', '/api/v1/send'],
      ['POST', '/email/delete'],
    ] as const
    for (const [method, path] of targets) {
      for (const rawBody of bodies) {
        for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
          const answer = await api.send(method, path, {
            rawBody,
            headers: { 'content-type': type },
          })
          assert.ok(answer.status < 500, `${method} ${path} ${rawBody}: ${answer.status}`)
        }
      }
    }
    for (const path of [
      '/view/..%2f',
      '/view/%00',
      '/api/v1/search?query=%22',
      '/email/%20/html',
    ]) {
      assert.ok((await api.get(path)).status < 500, path)
    }
  })
})

/** The status of the response to a body that is written in parts. */
async function sendInParts(url: URL, body: Buffer, options: RequestOptions): Promise<unknown> {
  const asked = request(url, options)
  for (let at = 0; at < body.length; at += 50_000) asked.write(body.subarray(at, at + 50_000))
  asked.end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}
