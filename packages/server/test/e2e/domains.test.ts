import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { type DnsServer, type PublishedRecords, startDnsmasq } from '../testing-dnsmasq.ts'
import { startService, type TestServiceOptions } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DOMAIN = 'qa.shop.example'
const TXT_NAME = '_mayfly-challenge.qa.shop.example'

onEachDatabase('custom domains', (create) => {
  let dns: DnsServer
  before(async () => {
    dns = await startDnsmasq()
  })
  after(async () => {
    await dns[Symbol.asyncDispose]()
  })
  const start = async (options: TestServiceOptions) => {
    await dns.publish({})
    return startService({
      ...options,
      env: { MAYFLY_DNS_SERVERS: dns.address, ...options.env },
    })
  }

  it('go from a claim to inboxes of their own', async () => {
    await using database = await create()
    await using service = await start({ database })
    const dev = await service.register()

    const claimed = await dev.post('/v1/domains', { domain: 'QA.Shop.example.' })
    assert.equal(claimed.status, 201)
    const { domain } = claimed.body
    assert.equal(domain.domain, DOMAIN)
    assert.equal(domain.state, 'pending')
    assert.equal(domain.txtRecord.name, TXT_NAME)
    assert.equal(domain.txtRecord.type, 'TXT')
    assert.match(domain.txtRecord.value, /^mayfly-verification=[0-9a-z]{32}$/)
    const mx = { name: DOMAIN, type: 'MX', value: 'mx.mayfly.test', priority: 10 }
    assert.deepEqual(domain.mxRecord, mx)
    assert.equal(Date.parse(domain.lapsesAt) - Date.parse(domain.createdAt), 7 * DAY_MS)

    const verify = () => dev.post(`/v1/domains/${DOMAIN}/verify`)
    const early = await verify()
    assert.deepEqual([early.status, early.body.error.code], [422, 'txt_record_not_found'])
    assert.ok(early.body.error.message.includes(domain.txtRecord.value))
    await dns.publish({ txt: { [TXT_NAME]: 'mayfly-verification=somebody-elses' } })
    assert.equal((await verify()).status, 422)

    const txt = { [TXT_NAME]: domain.txtRecord.value }
    await dns.publish({ txt })
    const verified = await verify()
    assert.deepEqual([verified.status, verified.body.domain.state], [200, 'verified'])
    assert.equal(verified.body.domain.lapsesAt, null)
    assert.equal((await dev.post('/v1/inboxes', { domain: DOMAIN })).status, 400)

    await dns.publish({ txt, mx: { [DOMAIN]: 'mx.mayfly.test 10' } })
    const active = await verify()
    assert.equal(active.body.domain.state, 'active')
    assert.notEqual(active.body.domain.activeAt, null)
    assert.deepEqual((await dev.get('/v1/domains/custom')).body.domains, [active.body.domain])
    const listed = (await dev.get('/v1/domains')).body.domains
    assert.deepEqual(listed.at(-1), { domain: DOMAIN, type: 'custom', status: 'active' })

    const inbox = await dev.post('/v1/inboxes', { domain: DOMAIN, localPart: 'signup' })
    assert.deepEqual([inbox.status, inbox.body.inbox.emailAddress], [201, 'signup@qa.shop.example'])
    const stranger = await service.register()
    assert.equal((await stranger.post('/v1/inboxes', { domain: DOMAIN })).status, 400)
    await service.sendMail({ to: 'Signup+tag@QA.shop.example', subject: 'Your code' })
    const { messages } = (await dev.get(`/v1/inboxes/${inbox.body.inbox.id}/messages`)).body
    assert.equal(messages[0].subject, 'Your code')

    // A near miss on the domain is its owner's to know, and no stranger's.
    const same = await stranger.post('/v1/inboxes', { localPart: 'sinup' })
    await service.sendMail({ to: [`sinup@${DOMAIN}`, `abuse@${DOMAIN}`] })
    const isTold = async (reader: typeof dev, inboxId: string) => {
      const { events } = (await reader.get(`/v1/inboxes/${inboxId}/diagnostics`)).body
      return events.some(({ stage }: { stage: string }) => stage === 'near.miss')
    }
    assert.equal(await isTold(dev, inbox.body.inbox.id), true)
    assert.equal(await isTold(stranger, same.body.inbox.id), false)

    // Given up, its inboxes expire and anyone may claim it.
    assert.equal((await stranger.delete(`/v1/domains/${DOMAIN}`)).status, 404)
    assert.equal((await dev.delete(`/v1/domains/${DOMAIN}`)).status, 204)
    assert.equal((await dev.delete(`/v1/domains/${DOMAIN}`)).status, 404)
    const read = await dev.get(`/v1/inboxes/${inbox.body.inbox.id}`)
    assert.equal(read.body.state, 'expired')
    const [late] = await service.sendMails([{ to: 'signup@qa.shop.example' }])
    assert.match(late?.recipients[0] ?? '', /^550 /)
    assert.equal((await stranger.post('/v1/domains', { domain: DOMAIN })).status, 201)
  })

  it('say that DNS does not answer rather than that nothing is there', async () => {
    await using database = await create()
    await using service = await start({ database })
    const dev = await service.register()
    await dev.post('/v1/domains', { domain: DOMAIN })
    // It refuses to answer for what is not its own.
    await dev.post('/v1/domains', { domain: 'elsewhere.invalid' })
    const refused = await dev.post('/v1/domains/elsewhere.invalid/verify')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'dns_unavailable'])
    assert.equal(refused.headers['retry-after'], '5')
    await dns.stop()
    const gone = await dev.post(`/v1/domains/${DOMAIN}/verify`)
    assert.deepEqual([gone.status, gone.body.error.code], [503, 'dns_unavailable'])
    const [domain] = (await dev.get('/v1/domains/custom')).body.domains
    assert.equal(domain.lastCheckedAt, null)
  })

  it('are claimed once, by admins, as many as the plan includes', async () => {
    await using database = await create()
    const env = { MAYFLY_DEFAULT_PLAN: 'connected', MAYFLY_PLAN_CONNECTED: 'customDomains=3' }
    await using service = await start({ database, env })
    const admin = await service.register()
    const issued = await admin.post('/v1/keys', { name: 'CI' })
    const member = admin.withKey(issued.body.apiKey)
    const refused = await member.post('/v1/domains', { domain: DOMAIN })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'admin_required'])
    assert.equal((await member.delete(`/v1/domains/${DOMAIN}`)).status, 403)
    // The body comes before the role.
    assert.equal((await member.post('/v1/domains', { domain: 'co.uk' })).status, 400)

    const burst = await Promise.all(
      Array.from({ length: 8 }, (_, i) => admin.post('/v1/domains', { domain: `d${i}.example` })),
    )
    assert.equal(burst.filter(({ status }) => status === 201).length, 3)
    const past = burst.find(({ status }) => status !== 201)
    assert.deepEqual([past?.status, past?.body.error.code], [403, 'plan_limit'])

    const rival = await service.register()
    const taken = burst.find(({ status }) => status === 201)?.body.domain.domain
    const conflict = await rival.post('/v1/domains', { domain: String(taken).toUpperCase() })
    assert.deepEqual([conflict.status, conflict.body.error.code], [409, 'domain_registered'])
    const foreign = await rival.post(`/v1/domains/${taken}/verify`)
    const unknown = await rival.post('/v1/domains/nobodys.example/verify')
    assert.equal(foreign.status, 404)
    assert.deepEqual(foreign.body, unknown.body)
    assert.equal((await rival.post('/v1/domains/no%20name/verify')).status, 404)

    const claims = await Promise.all(
      Array.from({ length: 6 }, () => rival.post('/v1/domains', { domain: 'once.example' })),
    )
    assert.deepEqual(claims.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
  })

  it('are for plans that include them', async () => {
    await using database = await create()
    await using service = await start({ database, env: { MAYFLY_DEFAULT_PLAN: 'key_only' } })
    const dev = await service.register()
    const refused = await dev.post('/v1/domains', { domain: DOMAIN })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'plan_limit'])
    const listed = (await dev.get('/v1/domains')).body.domains
    assert.deepEqual(listed, [{ domain: 'mayfly.test', type: 'public', status: 'active' }])
  })

  it('lapse after 7 days without proof, for their account and for others', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1)
    await using service = await start({ database, clock: { now: () => now } })
    const first = await service.register()
    const second = await service.register()
    const claim = (dev: typeof first) => dev.post('/v1/domains', { domain: DOMAIN })
    assert.equal((await claim(first)).status, 201)
    now += 7 * DAY_MS - 1
    assert.equal((await claim(second)).status, 409)
    assert.equal((await claim(first)).status, 409)
    now += 1
    assert.equal((await claim(second)).status, 201)
    assert.equal((await first.post(`/v1/domains/${DOMAIN}/verify`)).status, 404)
  })

  it('are looked at again unasked: they become active, inactive, and lapse', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1)
    const clock = { now: () => now }
    await using service = await start({ database, clock, domainSweepMs: 20 })
    const dev = await service.register()
    const { domain } = (await dev.post('/v1/domains', { domain: DOMAIN })).body
    const txt = { [TXT_NAME]: domain.txtRecord.value }
    const mx = { [DOMAIN]: 'mx.mayfly.test 10' }
    const checkedOn = async (step: { after: number; records: PublishedRecords }) => {
      await dns.publish(step.records)
      now += step.after
      return until(async () => {
        const [found] = (await dev.get('/v1/domains/custom')).body.domains
        return found?.lastCheckedAt === new Date(now).toISOString() ? found : null
      })
    }
    await dns.publish({ txt })
    await dev.post(`/v1/domains/${DOMAIN}/verify`)
    const soon = await checkedOn({ after: 10 * 60_000, records: { txt, mx } })
    assert.equal(soon.state, 'active')
    const { inbox } = (await dev.post('/v1/inboxes', { domain: DOMAIN, ttlSeconds: 604_800 })).body

    const elsewhere = { [DOMAIN]: 'mx.elsewhere.example 10' }
    const moved = await checkedOn({ after: DAY_MS, records: { txt, mx: elsewhere } })
    assert.deepEqual([moved.state, moved.activeAt], ['verified', null])
    assert.equal((await dev.post('/v1/inboxes', { domain: DOMAIN })).status, 400)
    assert.equal((await checkedOn({ after: DAY_MS, records: { txt, mx } })).state, 'active')

    const unproven = await checkedOn({ after: DAY_MS, records: { mx } })
    assert.equal(unproven.state, 'active')
    assert.equal(Date.parse(unproven.lapsesAt), now + 7 * DAY_MS)
    now += 7 * DAY_MS
    await until(async () => {
      const { domains } = (await dev.get('/v1/domains/custom')).body
      return domains.length === 0 ? domains : null
    })
    assert.equal((await dev.get(`/v1/inboxes/${inbox.id}`)).body.state, 'expired')
  })
})
