import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError, type Diagnostics } from '@mayfly/client'
import { testClock } from '../testing-clock.ts'
import { type DnsServer, type PublishedRecords, startDnsmasq } from '../testing-dnsmasq.ts'
import { first } from '../testing-first.ts'
import { startService, type TestServiceOptions } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DOMAIN = 'qa.shop.example'
const TXT_NAME = '_mayfly-challenge.qa.shop.example'

describe('custom domains', () => {
  let dns: DnsServer
  before(async () => {
    dns = await startDnsmasq()
  })
  after(async () => {
    await dns[Symbol.asyncDispose]()
  })
  const start = async (options: TestServiceOptions = {}) => {
    await dns.publish({})
    return startService({
      ...options,
      env: { MAYFLY_DNS_SERVERS: dns.address, ...options.env },
    })
  }

  it('go from a claim to inboxes of their own', async () => {
    await using service = await start()
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

    const verify = () => dev.domains.verify(DOMAIN)
    await assert.rejects(verify, (error) => {
      assert.ok(error instanceof ApiError)
      assert.deepEqual([error.status, error.code], [422, 'txt_record_not_found'])
      return error.message.includes(domain.txtRecord.value)
    })
    await dns.publish({ txt: { [TXT_NAME]: 'mayfly-verification=somebody-elses' } })
    await assert.rejects(verify, { status: 422 })

    const txt = { [TXT_NAME]: domain.txtRecord.value }
    await dns.publish({ txt })
    const verified = await dev.post(`/v1/domains/${DOMAIN}/verify`)
    assert.deepEqual([verified.status, verified.body.domain.state], [200, 'verified'])
    assert.equal(verified.body.domain.lapsesAt, null)
    await assert.rejects(dev.inboxes.create({ domain: DOMAIN }), { status: 400 })

    await dns.publish({ txt, mx: { [DOMAIN]: 'mx.mayfly.test 10' } })
    const active = await verify()
    assert.equal(active.state, 'active')
    assert.notEqual(active.activeAt, null)
    assert.deepEqual(await dev.domains.listCustom(), [active])
    const listed = await dev.domains.list()
    assert.deepEqual(listed.at(-1), { domain: DOMAIN, type: 'custom', status: 'active' })

    const inbox = await dev.inboxes.create({ domain: DOMAIN, localPart: 'signup' })
    assert.equal(inbox.emailAddress, 'signup@qa.shop.example')
    const stranger = await service.register()
    await assert.rejects(stranger.inboxes.create({ domain: DOMAIN }), { status: 400 })
    await service.sendMail({ to: 'Signup+tag@QA.shop.example', subject: 'Your code' })
    const { messages } = await inbox.listMessages()
    assert.equal(messages[0]?.subject, 'Your code')

    // A near miss on the domain is its owner's to know, and no stranger's.
    const same = await stranger.inboxes.create({ localPart: 'sinup' })
    await service.sendMail({ to: [`sinup@${DOMAIN}`, `abuse@${DOMAIN}`] })
    const isTold = ({ events }: Diagnostics) => events.some(({ stage }) => stage === 'near.miss')
    assert.equal(isTold(await inbox.diagnose()), true)
    assert.equal(isTold(await same.diagnose()), false)

    // Given up, its inboxes expire and anyone may claim it.
    await assert.rejects(stranger.domains.delete(DOMAIN), { status: 404 })
    assert.equal((await dev.delete(`/v1/domains/${DOMAIN}`)).status, 204)
    await assert.rejects(dev.domains.delete(DOMAIN), { status: 404 })
    assert.equal((await inbox.refresh()).state, 'expired')
    const [late] = await service.sendMails([{ to: 'signup@qa.shop.example' }])
    assert.match(late?.recipients[0] ?? '', /^550 /)
    await stranger.domains.register(DOMAIN)
  })

  it('say that DNS does not answer rather than that nothing is there', async () => {
    await using service = await start()
    const dev = await service.register()
    await dev.domains.register(DOMAIN)
    // It refuses to answer for what is not its own.
    await dev.domains.register('elsewhere.invalid')
    const refused = await dev.post('/v1/domains/elsewhere.invalid/verify')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'dns_unavailable'])
    assert.equal(refused.headers['retry-after'], '5')
    await dns.stop()
    const gone = await dev.post(`/v1/domains/${DOMAIN}/verify`)
    assert.deepEqual([gone.status, gone.body.error.code], [503, 'dns_unavailable'])
    assert.equal(first(await dev.domains.listCustom()).lastCheckedAt, null)
  })

  it('are claimed once, by admins, as many as the plan includes', async () => {
    const env = { MAYFLY_DEFAULT_PLAN: 'connected', MAYFLY_PLAN_CONNECTED: 'customDomains=3' }
    await using service = await start({ env })
    const admin = await service.register()
    const issued = await admin.keys.create({ name: 'CI' })
    const member = admin.withKey(issued.apiKey)
    await assert.rejects(member.domains.register(DOMAIN), { status: 403, code: 'admin_required' })
    await assert.rejects(member.domains.delete(DOMAIN), { status: 403 })
    // The body comes before the role.
    await assert.rejects(member.domains.register('co.uk'), { status: 400 })

    const burst = await Promise.all(
      Array.from({ length: 8 }, (_, i) => admin.post('/v1/domains', { domain: `d${i}.example` })),
    )
    assert.equal(burst.filter(({ status }) => status === 201).length, 3)
    const past = burst.find(({ status }) => status !== 201)
    assert.deepEqual([past?.status, past?.body.error.code], [403, 'plan_limit'])

    const rival = await service.register()
    const taken = burst.find(({ status }) => status === 201)?.body.domain.domain
    await assert.rejects(rival.domains.register(String(taken).toUpperCase()), {
      status: 409,
      code: 'domain_registered',
    })
    const foreign = await rival.post(`/v1/domains/${taken}/verify`)
    const unknown = await rival.post('/v1/domains/nobodys.example/verify')
    assert.equal(foreign.status, 404)
    assert.deepEqual(foreign.body, unknown.body)
    await assert.rejects(rival.domains.verify('no name'), { status: 404 })

    const claims = await Promise.all(
      Array.from({ length: 6 }, () => rival.post('/v1/domains', { domain: 'once.example' })),
    )
    assert.deepEqual(claims.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
  })

  it('are for plans that include them', async () => {
    await using service = await start({ env: { MAYFLY_DEFAULT_PLAN: 'key_only' } })
    const dev = await service.register()
    await assert.rejects(dev.domains.register(DOMAIN), { status: 403, code: 'plan_limit' })
    const listed = await dev.domains.list()
    assert.deepEqual(listed, [{ domain: 'mayfly.test', type: 'public', status: 'active' }])
  })

  it('lapse after 7 days without proof, for their account and for others', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await start({ clock })
    const one = await service.register()
    const two = await service.register()
    await one.domains.register(DOMAIN)
    clock.ms += 7 * DAY_MS - 1
    await assert.rejects(two.domains.register(DOMAIN), { status: 409 })
    await assert.rejects(one.domains.register(DOMAIN), { status: 409 })
    clock.ms += 1
    await two.domains.register(DOMAIN)
    await assert.rejects(one.domains.verify(DOMAIN), { status: 404 })
  })

  it('are looked at again unasked: they become active, inactive, and lapse', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await start({ clock, domainSweepMs: 20 })
    const dev = await service.register()
    const domain = await dev.domains.register(DOMAIN)
    const txt = { [TXT_NAME]: domain.txtRecord.value }
    const mx = { [DOMAIN]: 'mx.mayfly.test 10' }
    const checkedOn = async (step: { after: number; records: PublishedRecords }) => {
      await dns.publish(step.records)
      clock.ms += step.after
      return until(async () => {
        const [found] = await dev.domains.listCustom()
        return found?.lastCheckedAt === new Date(clock.ms).toISOString() ? found : null
      })
    }
    await dns.publish({ txt })
    await dev.domains.verify(DOMAIN)
    const soon = await checkedOn({ after: 10 * 60_000, records: { txt, mx } })
    assert.equal(soon.state, 'active')
    const inbox = await dev.inboxes.create({ domain: DOMAIN, ttlSeconds: 604_800 })

    const elsewhere = { [DOMAIN]: 'mx.elsewhere.example 10' }
    const moved = await checkedOn({ after: DAY_MS, records: { txt, mx: elsewhere } })
    assert.deepEqual([moved.state, moved.activeAt], ['verified', null])
    await assert.rejects(dev.inboxes.create({ domain: DOMAIN }), { status: 400 })
    assert.equal((await checkedOn({ after: DAY_MS, records: { txt, mx } })).state, 'active')

    const unproven = await checkedOn({ after: DAY_MS, records: { mx } })
    assert.equal(unproven.state, 'active')
    assert.equal(Date.parse(String(unproven.lapsesAt)), clock.ms + 7 * DAY_MS)
    clock.ms += 7 * DAY_MS
    await until(async () => {
      const domains = await dev.domains.listCustom()
      return domains.length === 0 ? domains : null
    })
    assert.equal((await inbox.refresh()).state, 'expired')
  })
})
