import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'

const HOUR_MS = 60 * 60 * 1000

onEachDatabase('inboxes', (create) => {
  const shared = sharedService(create)

  it('are named by their id or their address', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Named' })
    const [localPart = '', domain = ''] = inbox.emailAddress.split('@')
    const names = [inbox.emailAddress, `${localPart.toUpperCase()}+tag@${domain}`]
    for (const name of names.flatMap((one) => [one, encodeURIComponent(one)])) {
      const at = `/v1/inboxes/${name}`
      assert.equal((await dev.get(at)).body.id, inbox.id, name)
      assert.equal((await dev.get(`${at}/wait?timeoutSeconds=0`)).body.message.subject, 'Named')
      assert.equal((await dev.get(`${at}/messages`)).body.messages[0].subject, 'Named')
    }
    const scenario = { name: 'Named', assertions: [{ type: 'containsText', text: 'Named' }] }
    const { id } = (await dev.post('/v1/scenarios', scenario)).body.scenario
    const run = await dev.post(`/v1/scenarios/${id}/run`, { inboxId: inbox.emailAddress })
    assert.equal(run.body.passed, true)

    const stranger = await service.register()
    for (const name of [inbox.emailAddress, 'no-one@mayfly.test', '@', 'a@b@c']) {
      const { status, body } = await stranger.get(`/v1/inboxes/${name}`)
      assert.deepEqual([status, body.error.code], [404, 'inbox_not_found'], name)
    }
    assert.equal((await dev.delete(`/v1/inboxes/${inbox.emailAddress}`)).status, 204)
    assert.equal((await dev.get(`/v1/inboxes/${inbox.id}`)).status, 404)
  })

  it('are listed in pages and by state, expired ones too', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using database = await create('mayfly_january')
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const old = (await dev.post('/v1/inboxes', { ttlSeconds: 600 })).body.inbox
    clock.ms += 600_000
    const newer = (await dev.post('/v1/inboxes')).body.inbox
    clock.ms += 1
    const newest = (await dev.post('/v1/inboxes')).body.inbox
    const list = async (query: string) => {
      const { status, body } = await dev.get(`/v1/inboxes${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return { ids: body.inboxes.map(({ id }: { id: string }) => id), next: body.nextCursor }
    }
    assert.deepEqual(await list(''), { ids: [newest.id, newer.id], next: null })
    assert.deepEqual((await list('?state=all')).ids, [newest.id, newer.id, old.id])
    assert.deepEqual((await list('?state=expired')).ids, [old.id])
    assert.deepEqual((await list('?state=suspended')).ids, [])
    const first = await list('?state=all&limit=2')
    assert.deepEqual(first.ids, [newest.id, newer.id])
    assert.deepEqual(await list(`?state=all&limit=2&cursor=${first.next}`), {
      ids: [old.id],
      next: null,
    })
    for (const query of ['?cursor=x', '?limit=0', '?limit=1001', '?limit=', '?state=gone']) {
      assert.equal((await dev.get(`/v1/inboxes${query}`)).status, 400, query)
    }
  })

  it('creates, lists, reads and deletes an inbox', async () => {
    const service = await shared()
    const dev = await service.register()
    const created = await dev.post('/v1/inboxes')
    assert.equal(created.status, 201)
    const { inbox } = created.body
    assert.match(inbox.id, /^inb_[0-9a-z]{26}$/)
    assert.match(inbox.emailAddress, /^[0-9a-z]{10}@mayfly\.test$/)
    assert.equal(inbox.messageCount, 0)
    assert.equal(inbox.environment, 'live')
    assert.equal(Date.parse(inbox.expiresAt ?? '') - Date.parse(inbox.createdAt), 24 * HOUR_MS)
    const second = await dev.inboxes.create({ ttlSeconds: 600 })

    assert.deepEqual((await dev.get(`/v1/inboxes/${inbox.id}`)).body, inbox)
    const { inboxes } = await dev.inboxes.list()
    assert.deepEqual(
      inboxes.map(({ id }) => id),
      [second.id, inbox.id],
    )
    assert.equal((await dev.delete(`/v1/inboxes/${inbox.id}`)).status, 204)
    await assert.rejects(dev.inboxes.get(inbox.id), { code: 'inbox_not_found' })
    await assert.rejects(dev.inboxes.delete(inbox.id), { status: 404 })
  })

  it('holds every bound of a options', async () => {
    const service = await shared()
    const dev = await service.register()
    const cases: readonly [unknown, number, string | null][] = [
      [{ ttlSeconds: 599 }, 400, 'ttlSeconds: must be at least 600'],
      [{ ttlSeconds: 604_801 }, 400, 'ttlSeconds: must be at most 604800'],
      [{ ttlSeconds: 600.5 }, 400, 'ttlSeconds: must be a whole number'],
      [{ ttlSeconds: '600' }, 400, 'ttlSeconds: must be a number'],
      [{ ttlSeconds: 604_800 }, 201, null],
      [{ localPart: 'x'.repeat(64) }, 201, null],
      [{ localPart: 'x'.repeat(65) }, 400, 'localPart: must be 1 to 64'],
      [{ localPart: '' }, 400, 'localPart: must be 1 to 64'],
      [{ localPart: '.a' }, 400, 'localPart: must be 1 to 64'],
      [{ localPart: 'a.' }, 400, 'localPart: must be 1 to 64'],
      [{ localPart: 'a..b' }, 400, 'localPart: must be 1 to 64'],
      [{ localPart: 'a+b' }, 400, 'localPart: must be 1 to 64'],
      [{ localPart: 'a.b_c-9' }, 201, null],
      [{ domain: 'elsewhere.example' }, 400, 'domain: elsewhere.example is not'],
      [{ domain: 'smart' }, 201, null],
      [{ ttl: 600 }, 400, 'unknown field "ttl"'],
      [{ localpart: 'a' }, 400, 'unknown field "localpart"; did you mean "localPart"?'],
      [[], 400, 'body: must be an object'],
    ]
    for (const [options, status, text] of cases) {
      const answer = await dev.post('/v1/inboxes', options)
      assert.equal(answer.status, status, `${JSON.stringify(options)}: ${answer.text}`)
      if (text !== null) {
        assert.equal(answer.body.error.code, 'invalid_parameter')
        assert.ok(answer.body.error.message.includes(text), answer.body.error.message)
      }
    }
  })

  it('lowers capitals, refuses reserved names and taken addresses', async () => {
    const service = await shared()
    const dev = await service.register()
    const created = await dev.inboxes.create({ localPart: 'SignUp' })
    assert.equal(created.emailAddress, 'signup@mayfly.test')
    await assert.rejects(dev.inboxes.create({ localPart: 'signup' }), {
      status: 409,
      code: 'address_taken',
    })
    for (const localPart of ['postmaster', 'Abuse', 'admin', 'hostmaster', 'security']) {
      await assert.rejects(dev.inboxes.create({ localPart }), {
        status: 422,
        code: 'address_reserved',
      })
    }
  })

  it('keeps a given-up address from other accounts for 30 days', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, clock })
    const alice = await service.register()
    const bob = await service.register()
    const inbox = await alice.inboxes.create({ localPart: 'shared' })
    await inbox.delete()

    await assert.rejects(bob.inboxes.create({ localPart: 'shared' }), { status: 409 })
    await alice.inboxes.create({ localPart: 'shared', ttlSeconds: 600 })
    clock.ms += 600_000
    await assert.rejects(bob.inboxes.create({ localPart: 'shared' }), { status: 409 })
    clock.ms += 30 * 24 * HOUR_MS
    await bob.inboxes.create({ localPart: 'shared' })
  })

  it('expires by time and stays readable', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ ttlSeconds: 600 })
    clock.ms += 600_000
    assert.deepEqual((await dev.inboxes.list()).inboxes, [])
    assert.equal((await inbox.refresh()).state, 'expired')
  })

  it("answers 404 to another account's inbox, as to an unknown one", async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const inbox = await alice.inboxes.create()
    for (const method of ['GET', 'DELETE']) {
      const foreign = await bob.send(method, `/v1/inboxes/${inbox.id}`)
      const unknown = await bob.send(method, '/v1/inboxes/inb_nothing')
      assert.equal(foreign.status, 404)
      assert.deepEqual(foreign.body, unknown.body)
    }
    await alice.inboxes.get(inbox.id)
  })

  it('makes one inbox of 100 parallel creates with one Idempotency-Key', async () => {
    const service = await shared()
    const dev = await service.register()
    const headers = { 'idempotency-key': 'once' }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        dev.post('/v1/inboxes', { ttlSeconds: 600 + i }, { headers }),
      ),
    )
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201])
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1)
    const fresh = answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)
    assert.equal(fresh.length, 1)
    assert.equal((await dev.inboxes.list()).inboxes.length, 1)
    assert.equal((await dev.account.read()).usage.inboxes, 1)
  })

  it('gives one of 100 parallel creates the local part', async () => {
    const service = await shared()
    const dev = await service.register()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => dev.post('/v1/inboxes', { localPart: 'race' })),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    assert.deepEqual(statuses, [201, ...Array(99).fill(409)])
  })

  it('honours an Idempotency-Key for 24 hours, and not after a refusal', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const post = (body: unknown, key: string) =>
      dev.post('/v1/inboxes', body, { headers: { 'idempotency-key': key } })

    assert.equal((await post({ localPart: 'admin' }, 'k')).status, 422)
    assert.equal((await post({ domain: 'nowhere.example' }, 'k')).status, 400)
    const first = await post({}, 'k')
    assert.equal(first.status, 201)
    clock.ms += 24 * HOUR_MS - 1
    const repeat = await post({}, 'k')
    assert.equal(repeat.text, first.text)
    assert.equal(repeat.headers['idempotent-replayed'], 'true')
    clock.ms += 1
    assert.notEqual((await post({}, 'k')).body.inbox.id, first.body.inbox.id)
    assert.equal((await post({}, 'x'.repeat(255))).status, 201)
    assert.equal((await post({}, 'x'.repeat(256))).status, 400)
  })

  it('stops at the daily and the monthly allowance, exactly', async () => {
    await using database = await create()
    const clock = testClock(Date.UTC(2026, 0, 1))
    const env = { MAYFLY_DEFAULT_PLAN: 'key_only' }
    await using service = await startService({ database, env, clock })
    const dev = await service.register()
    const burst = async (count: number) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => dev.post('/v1/inboxes')),
      )
      return answers.map((answer) => answer.body.error?.code ?? answer.status).sort()
    }

    const first = await burst(24)
    assert.deepEqual(first, [...Array(20).fill(201), ...Array(4).fill('daily_limit_reached')])
    for (let day = 1; day < 5; day++) {
      clock.ms += 24 * HOUR_MS
      assert.deepEqual(await burst(20), Array(20).fill(201))
    }
    clock.ms += 24 * HOUR_MS
    assert.deepEqual(await burst(2), Array(2).fill('monthly_allowance_reached'))
    clock.ms = Date.UTC(2026, 1, 1)
    assert.deepEqual(await burst(1), [201])
  })

  it('offers the private pool to plans that include it', async () => {
    await using database = await create()
    const env = { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PRIVATE_DOMAINS: 'p1.test,p2.test' }
    await using service = await startService({ database, env })
    const dev = await service.register()
    await assert.rejects(dev.inboxes.create({ domain: 'p1.test' }), {
      status: 403,
      code: 'plan_limit',
    })
    const smart = await dev.inboxes.create({ domain: 'smart' })
    assert.match(smart.emailAddress, /@mayfly\.test$/)
  })

  it('spreads smart inboxes over the private pool', async () => {
    await using database = await create()
    await using service = await startService({
      database,
      env: { MAYFLY_PRIVATE_DOMAINS: 'p1.test,p2.test' },
    })
    const dev = await service.register()
    const domains = []
    for (let i = 0; i < 4; i++) {
      const inbox = await dev.inboxes.create({ domain: 'smart' })
      domains.push(inbox.emailAddress.split('@')[1])
    }
    assert.deepEqual(domains, ['p1.test', 'p2.test', 'p1.test', 'p2.test'])
  })
})
