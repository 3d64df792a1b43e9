import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { it } from 'node:test'
import { mutate, pick, randomFrom } from '../../../mail/test/testing-mutations.ts'
import { IS_SOAK, soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import type { ApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService } from '../testing-start-service.ts'

/** Requests in `npm test`; the long form has a million on SQLite, a tenth on PostgreSQL. */
const REQUESTS = soakRounds({ short: 600, long: 1_000_000 })

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

/** Requests at the same time. */
const CONNECTIONS = 8

const TOKENS = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u0000', '\\ud800', '\0', '\xff', '\xc3\xa9', ' '],
  ...[
    'null',
    'true',
    '-1',
    '0',
    '1e999',
    '99999999999999999999',
    '0.1',
    '""',
    '[]',
    '{}',
    '[[[[[[',
  ],
  ...['"__proto__":{}', '"constructor":{"prototype":{}}', '"x":1,', '"type":', '"name":"a",'],
  ...['"assertions":[', '{"type":"otpPresent"},', '{"type":"subjectContains","value":"a"},'],
  ...['https://', 'http://[::1]:1/', 'https://127.0.0.1/', 'a@b.example', 'smart', 'mayfly.test'],
  ...["'; drop table inbox; --", '%00', '../', 'inb_', 'msg_', '2026-02-30T00:00:00Z', '\r\n'],
]

type Sample = { readonly path: string; readonly body: string }

onEachDatabase('changed bodies', (create, database) => {
  // PostgreSQL refuses what SQLite stores, such as U+0000; schemathesis runs on SQLite.
  if (database === 'SQLite' && !IS_SOAK) return
  const shared = sharedService(create)
  const count = IS_SOAK && database !== 'SQLite' ? Math.ceil(REQUESTS / 10) : REQUESTS

  it(`of ${count} requests are answered below 500, in one shape, within 2 s`, async () => {
    const service = await shared()
    const dev = await service.register()
    const samples = await givenSamples(dev, (to) =>
      service.sendMail({ to, subject: 'code 482913' }),
    )
    const bodies = samples.map(({ body }) => Buffer.from(body))
    const random = randomFrom(SEED)
    using agent = keepAliveAgent()
    let started = 0
    const statuses = new Map<number, number>()
    const progress = soakProgress(`changed bodies on ${database}`, count)
    const sendNext = async () => {
      while (started < count) {
        const index = started++
        progress(index)
        const { path } = pick(random, samples)
        const changed = mutate({ random, samples: bodies, tokens: TOKENS, bytesMax: 64 * 1024 })
        const body = withoutWaiting(changed)
        const answer = await post({ agent, key: dev.key }, new URL(path, service.httpUrl), body)
        const told = `request ${index} of seed ${SEED}: POST ${path} ${body.toString('base64')}`
        assert.ok(answer.status < 500, `${answer.status} ${told}`)
        if (IS_SOAK) assert.ok(answer.tookMs <= 2_000, `${answer.tookMs} ms ${told}`)
        if (answer.status >= 400) assertErrorShape(answer.text, told)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, sendNext))
    assert.equal(
      [...statuses.values()].reduce((sum, one) => sum + one),
      count,
    )
    assert.ok((statuses.get(201) ?? 0) > 0, 'no request was valid: only the JSON parser was tested')
  })
})

/** One valid body for each route that takes one. */
async function givenSamples(
  dev: ApiClient,
  sendMail: (to: string) => Promise<unknown>,
): Promise<Sample[]> {
  const { inbox } = (await dev.post('/v1/inboxes')).body
  await sendMail(inbox.emailAddress)
  const assertions = [
    { type: 'otpPresent' },
    { type: 'subjectContains', value: 'code' },
    { type: 'linkResponds', urlContains: 'x', status: 200 },
  ]
  const checks = { assertions: assertions.slice(0, 2), timeoutSeconds: 0 }
  const scenario = (await dev.post('/v1/scenarios', { name: 'sign-up', ...checks })).body
  const sample = (path: string, body: object) => ({ path, body: JSON.stringify(body) })
  return [
    sample('/v1/accounts', { email: 'someone@example.com', name: 'Dev team' }),
    sample('/v1/keys', { name: 'CI', environment: 'test', role: 'member' }),
    sample('/v1/domains', { domain: 'qa.example.com' }),
    sample('/v1/inboxes', { domain: 'smart', ttlSeconds: 600 }),
    sample('/v1/inboxes', { localPart: 'sign-up.test' }),
    sample(`/v1/inboxes/${inbox.id}/assert`, { assertions, timeoutSeconds: 0 }),
    sample('/v1/scenarios', { name: 'sign-up', ...checks }),
    sample(`/v1/scenarios/${scenario.id}/run`, { inboxId: inbox.id }),
    sample('/v1/webhooks', { url: 'https://example.com/hooks/mail' }),
    sample('/v1/sign-in', { token: 'x' }),
    sample('/v1/sign-in-links', {}),
    sample('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  ]
}

/** The body with `timeoutSeconds: 0` where it is an object: a request that waits is not slow. */
function withoutWaiting(body: Buffer): Buffer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    if (typeof value !== 'object' || value === null || !('assertions' in value)) return body
    return Buffer.from(JSON.stringify({ ...value, timeoutSeconds: 0 }))
  } catch {
    return body
  }
}

function assertErrorShape(text: string, told: string): void {
  const body = JSON.parse(text)
  if ('jsonrpc' in body) return
  assert.equal(typeof body.error?.code, 'string', told)
  assert.equal(typeof body.error.message, 'string', told)
  assert.ok(text.length <= 16 * 1024, `an error of ${text.length} characters: ${told}`)
}

function keepAliveAgent(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

function post(
  { agent, key }: { readonly agent: Agent; readonly key: string | null },
  url: URL,
  body: Buffer,
): Promise<{ status: number; text: string; tookMs: number }> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      accept: 'application/json, text/event-stream',
    }
    const call = request(url, { agent, method: 'POST', headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({
        status: response.statusCode ?? 0,
        text: Buffer.concat(chunks).toString('utf8'),
        tookMs: performance.now() - startedAt,
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}
