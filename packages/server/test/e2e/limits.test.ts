import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Answer } from '../testing-api-client.ts'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'

const KEY_ONLY = { MAYFLY_DEFAULT_PLAN: 'key_only' }
const codes = (answers: readonly Answer[]) =>
  answers.map((answer) => answer.body.error?.code ?? answer.status).sort()
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))

onEachDatabase('limits', (create, name) => {
  const shared = sharedService(create)

  it('of a changed default plan are told at the start, with the accounts that keep theirs', async () => {
    await using database = await create()
    const start = (plan: string) =>
      startService({ database, env: { MAYFLY_DEFAULT_PLAN: plan, MAYFLY_LOG_LEVEL: 'warn' } })
    {
      await using service = await start('key_only')
      await service.register('a@example.com')
      await service.register('b@example.com')
      assert.doesNotMatch(service.logged.join(), /MAYFLY_DEFAULT_PLAN/)
    }
    await using service = await start('unlimited')
    await service.register('c@example.com')
    assert.match(
      service.logged.join(),
      /2 accounts keep the plan key_only\. .*`mayfly admin plan EMAIL unlimited` moves one/,
    )
  })

  it('admits exactly the requests of a minute, and tells what is left', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, env: KEY_ONLY, clock })
    const dev = await service.register()

    const first = await dev.get('/v1/keys')
    assert.equal(first.headers['ratelimit-policy'], '"minute";q=30;w=60')
    assert.equal(first.headers['ratelimit'], '"minute";r=29;t=60')
    assert.equal(first.headers['retry-after'], undefined)

    clock.ms += 20_000
    const burst = await times(40, () => dev.get('/v1/keys'))
    assert.deepEqual(codes(burst), [
      ...Array(29).fill(200),
      ...Array(11).fill('requests_per_minute_exceeded'),
    ])
    const refused = await dev.get('/v1/keys')
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error.type, 'rate_limit')
    assert.equal(refused.headers['retry-after'], '40')
    assert.equal(refused.headers['ratelimit'], '"minute";r=0;t=40')
    assert.match(
      refused.body.error.message,
      /^The plan key_only allows 30 requests per minute\. Try again in 40 seconds\. .*`mayfly admin plan EMAIL unlimited`.*MAYFLY_PLAN_KEY_ONLY=requestsPerMinute=/,
    )

    clock.ms += 39_999
    assert.equal((await dev.get('/v1/keys')).status, 429)
    clock.ms += 1
    // The next window; what was refused does not count in it.
    const next = await dev.get('/v1/keys')
    assert.deepEqual([next.status, next.headers['ratelimit']], [200, '"minute";r=29;t=60'])
  })

  it('counts the keys of an account together, and accounts apart', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, env: KEY_ONLY, clock })
    const admin = await service.register()
    const issued = await admin.keys.create({ name: 'CI' })
    const member = admin.withKey(issued.apiKey)
    await times(29, (i) => (i % 2 ? admin : member).get('/v1/keys'))
    assert.deepEqual([(await admin.get('/v1/keys')).status], [429])
    assert.deepEqual([(await member.get('/v1/keys')).status], [429])
    assert.equal((await (await service.register()).get('/v1/keys')).status, 200)
  })

  it('charges nothing for what it refuses', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({
      database,
      env: KEY_ONLY,
      clock,
    })
    const dev = await service.register()
    await times(30, () => dev.get('/v1/keys'))
    const headers = { 'idempotency-key': 'k' }
    const refused = await times(10, () => dev.post('/v1/inboxes', {}, { headers }))
    assert.deepEqual(codes(refused), Array(10).fill('requests_per_minute_exceeded'))
    clock.ms += 60_000
    const created = await dev.post('/v1/inboxes', {}, { headers })
    assert.deepEqual([created.status, created.headers['idempotent-replayed']], [201, undefined])
    const { usage } = await dev.account.read()
    assert.deepEqual([usage.requests, usage.inboxes], [32, 1])
  })

  it('refuses in the order route, key, rate, body, role', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, env: KEY_ONLY, clock })
    const dev = await service.register()
    await times(30, () => dev.get('/v1/keys'))
    const json = { 'content-type': 'application/json' }
    assert.equal((await dev.get('/v1/nothing')).status, 404)
    assert.equal((await dev.send('PUT', '/v1/keys')).status, 405)
    assert.equal((await dev.withKey('mf_live_wrong').get('/v1/keys')).status, 401)
    const broken = await dev.send('POST', '/v1/keys', { rawBody: '{', headers: json })
    assert.equal(broken.status, 429)
  })

  it('lets the operator set each number of a plan', async () => {
    await using database = await create('mayfly_january')
    const env = {
      ...KEY_ONLY,
      MAYFLY_PLAN_KEY_ONLY: [
        'inboxesPerMonth=5,inboxesPerDay=4,requestsPerMinute=100,concurrentWaits=3,webhooks=none',
        'customDomains=2,privateDomains=true,retentionDays=1',
      ].join(','),
    }
    const clock = testClock(Date.UTC(2026, 0, 30))
    await using service = await startService({ database, env, clock })
    const dev = await service.register()
    assert.deepEqual((await dev.account.read()).limits, {
      inboxesPerMonth: 5,
      inboxesPerDay: 4,
      requestsPerMinute: 100,
      concurrentWaits: 3,
      webhooks: null,
      customDomains: 2,
      privateDomains: true,
      retentionDays: 1,
    })
    const burst = () => times(10, () => dev.post('/v1/inboxes'))
    assert.deepEqual(codes(await burst()), [
      ...Array(4).fill(201),
      ...Array(6).fill('daily_limit_reached'),
    ])
    clock.ms += 24 * 60 * 60 * 1000
    const second = await burst()
    assert.deepEqual(codes(second), [201, ...Array(9).fill('monthly_allowance_reached')])
    const refused = second.find(({ status }) => status === 429)
    assert.equal(refused?.headers['retry-after'], String(24 * 60 * 60))
    assert.equal(refused?.headers['ratelimit-policy'], '"minute";q=100;w=60')
    assert.match(
      refused?.body.error.message,
      /5 inboxes per month; .* in 86400 seconds\. If you run/,
    )
    // The turn of the month, to the millisecond.
    clock.ms = Date.UTC(2026, 1, 1) - 1
    assert.equal((await dev.post('/v1/inboxes')).status, 429)
    clock.ms += 1
    assert.equal((await burst()).filter(({ status }) => status === 201).length, 4)
    assert.equal((await dev.post('/v1/inboxes', { domain: 'smart' })).status, 429)
  })

  it('sends no headers of a rate where there is none', async () => {
    const service = await shared()
    const dev = await service.register()
    const answers = [
      await dev.get('/v1/keys'),
      await dev.get('/v1/inboxes/inb_none'),
      await service.anonymous.get('/healthz'),
    ]
    for (const { headers } of answers) {
      assert.equal(headers['ratelimit'], undefined)
      assert.equal(headers['ratelimit-policy'], undefined)
    }
  })

  it('limits registrations by address, not those of the machine itself', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    const env = { ...KEY_ONLY, MAYFLY_TRUSTED_PROXIES: '127.0.0.1' }
    await using service = await startService({ database, env, clock })
    const register = (email: string, from: string) =>
      service.anonymous.post('/v1/accounts', { email }, { headers: { 'x-forwarded-for': from } })

    const burst = await times(14, (i) => register(`a${i}@example.com`, '192.0.2.1'))
    assert.deepEqual(codes(burst), [
      ...Array(10).fill(201),
      ...Array(4).fill('registrations_exceeded'),
    ])
    const refused = await register('b@example.com', '192.0.2.1')
    assert.equal(refused.headers['retry-after'], '3600')
    assert.equal(refused.headers['ratelimit-policy'], '"hour";q=10;w=3600')
    assert.match(
      refused.body.error.message,
      /10 accounts .* in 3600 seconds.*MAYFLY_REGISTRATIONS_PER/,
    )
    assert.equal((await register('b@example.com', '192.0.2.2')).status, 201)
    const sameCustomer = await times(11, (i) => register(`c${i}@example.com`, `2001:db8::${i}`))
    assert.equal(sameCustomer.filter(({ status }) => status === 201).length, 10)
    const local = await times(12, (i) => register(`d${i}@example.com`, '127.0.0.1'))
    assert.deepEqual(codes(local), Array(12).fill(201))
    clock.ms += 3_600_000
    assert.equal((await register('e@example.com', '192.0.2.1')).status, 201)
  })

  if (name === 'PostgreSQL') {
    it('admits no more over several nodes than over one', async () => {
      await using database = await create('mayfly_january')
      const clock = testClock(Date.UTC(2026, 0, 31))
      const start = () => startService({ database, env: KEY_ONLY, clock })
      await using one = await start()
      await using two = await start()
      await using three = await start()
      const dev = await one.register()
      const nodes = [one, two, three].map((node) => node.account(dev.key))
      const burst = await times(90, async (i) => (await nodes[i % 3]?.get('/v1/keys'))?.status)
      assert.equal(burst.filter((status) => status === 200).length, 30)
      assert.equal(burst.filter((status) => status === 429).length, 60)
    })

    it('counts inboxes of several nodes together', async () => {
      await using database = await create('mayfly_january')
      const clock = testClock(Date.UTC(2026, 0, 31))
      const start = () => startService({ database, env: KEY_ONLY, clock })
      await using one = await start()
      await using two = await start()
      const dev = await one.register()
      const nodes = [one, two].map((node) => node.account(dev.key))
      const burst = async () => {
        const answers = await times(24, (i) => (nodes[i % 2] ?? dev).post('/v1/inboxes'))
        return codes(answers)
      }
      assert.deepEqual(await burst(), [
        ...Array(20).fill(201),
        ...Array(4).fill('daily_limit_reached'),
      ])
      // The next month begins, and with it a new allowance.
      clock.ms = Date.UTC(2026, 1, 1)
      assert.equal((await burst()).filter((code) => code === 201).length, 20)
      const { usage } = await dev.account.read()
      assert.deepEqual([usage.inboxesThisMonth, usage.inboxes], [20, 20])
    })
  }
})
