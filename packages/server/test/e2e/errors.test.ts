import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'
import { LARGEST_BODIES, WORST_BODIES } from '../testing-worst-bodies.ts'

onEachDatabase('errors', (create) => {
  const shared = sharedService(create)

  it('are not ours when a text holds what a database cannot', async () => {
    const service = await shared()
    const dev = await service.register()
    assert.equal((await dev.get('/v1/inboxes/%00')).status, 404)
    assert.equal((await dev.get('/v1/inboxes/%ff')).status, 400)
    assert.equal((await dev.post('/v1/keys', { name: 'a\u0000b\ud800' })).status, 201)
    const headers = { 'idempotency-key': '\u00ff' }
    assert.equal((await dev.post('/v1/inboxes', {}, { headers })).status, 201)
    // The keys of calls that arrive together are looked up by one query.
    const basic = (key: string) => ({ authorization: `Basic ${btoa(`x:${key}`)}` })
    const list = (key: string) => service.anonymous.get('/api/v1/messages', { headers: basic(key) })
    const answers = await Promise.all([list('mf_live_\0'), list(dev.key), list('mf_live_\0')])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 200, 401],
    )
    const unknown = { headers: basic(dev.key), rawBody: JSON.stringify({ IDs: ['a\0b'] }) }
    assert.equal((await service.anonymous.delete('/api/v1/messages', unknown)).status, 200)
  })
})

describe('errors', () => {
  const shared = sharedService()

  it('are found in the log by the id of their request', async () => {
    await using service = await startService({ env: { MAYFLY_LOG_LEVEL: 'debug' } })
    const headers = { 'x-request-id': 'find-me' }
    await service.anonymous.get('/v1/account', { headers })
    const line = await until(
      async () => service.logged.find((text) => text.includes('find-me')) ?? null,
    )
    const { requestId, url, statusCode } = JSON.parse(line)
    assert.deepEqual([requestId, url, statusCode], ['find-me', '/v1/account', 401])
  })

  it('say where a body is not valid JSON', async () => {
    const dev = await (await shared()).register()
    const messages: string[] = []
    for (const rawBody of ['{"name":', '{"name": "a",\n "role": member}', '{"__proto__":{}}']) {
      const headers = { 'content-type': 'application/json' }
      const { status, body } = await dev.send('POST', '/v1/keys', { rawBody, headers })
      assert.deepEqual([status, body.error.code], [400, 'invalid_json'])
      messages.push(body.error.message)
    }
    assert.match(messages[0] ?? '', /^The body is not valid JSON: Unexpected end of JSON input$/)
    assert.match(messages[1] ?? '', /^The body is not valid JSON: .*'m'.*"role": member/s)
    assert.match(messages[2] ?? '', /must not have a property __proto__/)
  })

  it('name the bounds of a body that would take long to parse', async () => {
    const dev = await (await shared()).register()
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    for (const { name, json: rawBody } of [...WORST_BODIES, ...LARGEST_BODIES]) {
      for (const path of ['/v1/keys', '/mcp']) {
        const { status } = await dev.send('POST', path, { rawBody, headers })
        assert.equal(status, 400, `${path}, ${name}`)
      }
    }
    const refused = await dev.post('/v1/keys', { name: new Array(5_001).fill(1) })
    assert.deepEqual(refused.body.error, {
      type: 'invalid_request',
      code: 'invalid_parameter',
      message: 'body: must have at most 5000 values and 50 levels',
    })
  })

  it('have one shape, whatever is wrong', async () => {
    const service = await shared()
    const dev = await service.register()
    const json = { 'content-type': 'application/json' }
    const long = JSON.stringify({ name: 'x'.repeat(300_000) })
    const cases = [
      [dev.send('POST', '/v1/keys', { rawBody: '{"name":', headers: json }), 400, 'invalid_json'],
      [
        dev.send('POST', '/v1/keys', { rawBody: '{"__proto__":{}}', headers: json }),
        400,
        'invalid_json',
      ],
      [dev.post('/v1/keys', {}), 400, 'invalid_parameter'],
      [dev.post('/v1/keys'), 400, 'invalid_parameter'],
      [service.anonymous.get('/v1/account'), 401, 'missing_api_key'],
      [
        dev.get('/v1/account', { headers: { authorization: 'Basic eDp5' } }),
        401,
        'missing_api_key',
      ],
      [dev.withKey('mf_live_wrong').get('/v1/account'), 401, 'invalid_api_key'],
      [dev.withKey('x'.repeat(5000)).get('/v1/account'), 401, 'invalid_api_key'],
      [dev.get('/v1/nothing'), 404, 'route_not_found'],
      [service.anonymous.get('/v1/nothing'), 404, 'route_not_found'],
      [service.anonymous.send('PUT', '/v1/inboxes'), 405, 'method_not_allowed'],
      [dev.send('POST', '/v1/keys', { rawBody: long, headers: json }), 413, 'body_too_large'],
      [
        dev.send('POST', '/v1/keys', {
          rawBody: 'a=b',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        415,
        'unsupported_media_type',
      ],
      [
        dev.send('POST', '/v1/keys', { rawBody: 'a', headers: { 'content-type': 'text/plain' } }),
        415,
        'unsupported_media_type',
      ],
    ] as const
    for (const [call, status, code] of cases) {
      const answer = await call
      assert.equal(answer.status, status, `${code}: ${answer.text}`)
      assert.equal(answer.body.error.code, code)
      assert.deepEqual(Object.keys(answer.body.error), ['type', 'code', 'message'])
      assert.ok(answer.body.error.message.length > 10)
      assert.match(String(answer.headers['x-request-id']), /^req_/)
      if (status === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer')
      if (status === 405) assert.equal(answer.headers['allow'], 'GET, HEAD, POST')
    }
  })

  it('name the field and the rule, all at once', async () => {
    const service = await shared()
    const answer = await service.anonymous.post('/v1/accounts', { email: 'nobody', nam: 'x' })
    assert.equal(
      answer.body.error.message,
      'email: must be an email address; body: unknown field "nam"; did you mean "name"?',
    )
  })

  it('name an unknown query parameter and the nearest known one', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const messages: readonly (readonly [string, RegExp])[] = [
      [`/v1/inboxes/${inbox.id}/wait?subject=x`, /"subject"; did you mean "subjectContains"\?/],
      [`/v1/inboxes/${inbox.id}/messages?limt=3`, /"limt"; did you mean "limit"\?/],
      ['/v1/usage?day=3', /"day"; did you mean "days"\?/],
      ['/v1/account?verbose=1', /"verbose"; no fields are allowed here/],
    ]
    for (const [path, message] of messages) {
      const answer = await dev.get(path)
      assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_parameter'], path)
      assert.match(answer.body.error.message, message)
    }
  })

  it('name the fields of a body where none is taken', async () => {
    const dev = await (await shared()).register()
    for (const path of ['/v1/keys/rotate', '/v1/sign-in-links']) {
      const answer = await dev.post(path, { nam: 'x' })
      assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_parameter'], path)
      assert.match(answer.body.error.message, /unknown field "nam"; no fields are allowed here/)
    }
    assert.equal((await dev.post('/v1/sign-in-links', {})).status, 201)
  })

  it('are 404 for any unknown id', async () => {
    const dev = await (await shared()).register()
    for (const length of [1, 65, 249]) {
      const answer = await dev.get(`/v1/inboxes/inb_${'x'.repeat(length)}`)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'inbox_not_found'])
    }
  })

  it('stay short, however much is wrong', async () => {
    const service = await shared()
    const dev = await service.register()
    const fields = Array.from({ length: 4_000 }, (_, i) => [`field${i}`, 1])
    const bodies: readonly (readonly [string, unknown])[] = [
      ['/v1/inboxes', Object.fromEntries(fields)],
      ['/v1/inboxes', { ['x'.repeat(200_000)]: 1 }],
      ['/v1/scenarios', { name: 'x', assertions: Array.from({ length: 4_000 }, () => 1) }],
    ]
    for (const [path, body] of bodies) {
      const answer = await dev.post(path, body)
      assert.equal(answer.status, 400)
      assert.ok(answer.text.length < 4_000, `${answer.text.length} characters`)
    }
    const many = await dev.post('/v1/inboxes', Object.fromEntries(fields))
    assert.match(many.body.error.message, /unknown field "field9".*; and 3990 more$/)
  })

  it('are none at / and /favicon.ico, and a lost key is told the way back', async () => {
    const service = await shared()
    const { body } = await service.anonymous.get('/')
    assert.deepEqual([body.name, body.version], ['Mayfly', packageFile.version])
    for (const url of [body.docs, body.openapi]) {
      assert.equal((await service.anonymous.get(new URL(url).pathname)).status, 200, url)
    }
    const icon = await service.anonymous.get('/favicon.ico')
    assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'])
    const lost = await service.anonymous.withKey('mf_live_lost').get('/v1/account')
    assert.match(lost.body.error.message, /`mayfly open`.*`mayfly admin give-key EMAIL`/)
  })

  it('are never cached, and never taken for a page', async () => {
    const service = await shared()
    const dev = await service.register()
    const answers = [
      await dev.get('/v1/account'),
      await dev.get('/no/such/path'),
      await service.anonymous.get('/v1/account'),
      await service.anonymous.get('/openapi.json'),
    ]
    for (const { headers } of answers) {
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  it('tell a missing key before a broken body', async () => {
    const service = await shared()
    const headers = { 'content-type': 'application/json' }
    const answer = await service.anonymous.send('POST', '/v1/keys', { rawBody: '{', headers })
    assert.equal(answer.status, 401)
  })

  it('repeat the request id that a caller brings', async () => {
    const service = await shared()
    const good = await service.anonymous.get('/healthz', { headers: { 'x-request-id': 'ci-42' } })
    assert.equal(good.headers['x-request-id'], 'ci-42')
    const bad = await service.anonymous.get('/healthz', { headers: { 'x-request-id': 'a b' } })
    assert.notEqual(bad.headers['x-request-id'], 'a b')
  })
})
