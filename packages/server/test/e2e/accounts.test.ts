import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'

onEachDatabase('accounts', (create) => {
  const shared = sharedService(create)

  it('registers an account with its first key', async () => {
    const service = await shared()
    const answer = await service.anonymous.post('/v1/accounts', {
      email: 'Dev@Example.com',
      name: 'Dev team',
    })

    assert.equal(answer.status, 201)
    assert.match(answer.body.account.id, /^acc_[0-9a-z]{26}$/)
    assert.equal(answer.body.account.email, 'dev@example.com')
    assert.equal(answer.body.account.name, 'Dev team')
    assert.equal(answer.body.account.connected, false)
    assert.match(answer.body.apiKey, /^mf_live_[0-9A-Za-z]{43}$/)
    const { name, role, environment, prefix, lastUsedAt } = answer.body.key
    assert.deepEqual([name, role, environment, lastUsedAt], ['default', 'admin', 'live', null])
    assert.ok(answer.body.apiKey.startsWith(prefix))
  })

  it('registers an email once, whatever its capitals', async () => {
    const service = await shared()
    const emails = Array.from({ length: 10 }, (_, i) => (i % 2 ? 'a@b.example' : 'A@B.example'))
    const answers = await Promise.all(
      emails.map((email) => service.anonymous.post('/v1/accounts', { email })),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    assert.deepEqual(statuses, [201, ...Array(9).fill(409)])
    const refused = answers.find((answer) => answer.status === 409)
    assert.equal(refused?.body.error.code, 'email_registered')
  })

  it('tells the limits of the plan and what was used', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31, 23, 59))
    await using service = await startService({
      database,
      clock,
      env: { MAYFLY_DEFAULT_PLAN: 'key_only' },
    })
    const dev = await service.register()
    await dev.inboxes.create()

    const { status, body } = await dev.get('/v1/account')
    assert.equal(status, 200)
    assert.equal(body.account.plan, 'key_only')
    assert.deepEqual(body.limits, {
      inboxesPerMonth: 100,
      inboxesPerDay: 20,
      requestsPerMinute: 30,
      concurrentWaits: 2,
      webhooks: 1,
      customDomains: 0,
      privateDomains: false,
      retentionDays: 7,
    })
    assert.deepEqual(body.usage, {
      date: '2026-01-31',
      requests: 2,
      inboxes: 1,
      inboxesThisMonth: 1,
      monthResetsAt: '2026-02-01T00:00:00.000Z',
    })
  })

  it('lists usage by day with zeros, oldest first, split by environment', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 30, 12))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const issued = await dev.keys.create({ name: 'trial', environment: 'test' })
    await dev.withKey(issued.apiKey).inboxes.create()
    clock.ms += 24 * 60 * 60 * 1000

    const usage = await dev.account.usage({ days: 3 })
    assert.deepEqual(
      usage.map(({ date, requests, inboxes }) => [date, requests, inboxes]),
      [
        ['2026-01-29', 0, 0],
        ['2026-01-30', 2, 1],
        ['2026-01-31', 1, 0],
      ],
    )
    assert.deepEqual(usage[1]?.byEnvironment, {
      live: { requests: 1, inboxes: 0 },
      test: { requests: 1, inboxes: 1 },
    })
    assert.equal((await dev.account.usage()).length, 30)
    await assert.rejects(dev.account.usage({ days: 91 }), { status: 400 })
  })
})
