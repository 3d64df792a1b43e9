import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import type { TestAccount } from '../testing-account.ts'
import { createMigratedSqlite } from '../testing-databases.ts'
import { type DnsServer, startDnsServer } from '../testing-dns-server.ts'
import { first } from '../testing-first.ts'
import { shared } from '../testing-shared.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** A domain that lets the loopback address send for it, signs, and has a policy. */
function publish(dns: DnsServer, domain: string, spf: string): void {
  dns.set(domain, { TXT: [spf] })
  dns.set(`mail._domainkey.${domain}`, {
    TXT: [`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`],
  })
  dns.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] })
}

async function sendSigned(service: TestService, to: string, domain: string): Promise<void> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: service.smtpPort,
    ignoreTLS: true,
    dkim: { domainName: domain, keySelector: 'mail', privateKey },
  })
  await transport.sendMail({ from: `app@${domain}`, to, subject: 'signed', text: 'Hello' })
  transport.close()
}

async function verdicts(service: TestService, domain: string, send: (to: string) => Promise<void>) {
  const dev = await service.register()
  const inbox = await dev.inboxes.create()
  await send(inbox.emailAddress)
  const run = await inbox.check([
    { type: 'auth', check: 'spf' },
    { type: 'auth', check: 'dkim' },
    { type: 'auth', check: 'dmarc' },
  ])
  const { id } = first((await inbox.listMessages()).messages)
  const { auth } = await inbox.readMessage(id)
  assert.ok(auth)
  assert.equal(auth.dmarc.domain ?? domain, domain)
  return { run, results: [auth.spf.result, auth.dkim.result, auth.dmarc.result] }
}

/** A mail in a new inbox of the account. */
async function sendFrom(service: TestService, dev: TestAccount, domain: string) {
  const inbox = await dev.inboxes.create()
  const raw = `From: a@${domain}\r\n\r\nHello\r\n`
  await service.sendMail({ to: inbox.emailAddress, from: `a@${domain}`, raw })
  const { id } = first((await inbox.listMessages()).messages)
  return { inbox, id, read: () => inbox.readMessage(id) }
}

describe('sender checks', () => {
  // Each test has domains of its own.
  const world = shared(async (resources) => {
    const dns = resources.use(await startDnsServer())
    const env = { MAYFLY_DNS_SERVERS: dns.address }
    return { dns, service: resources.use(await startService({ env })) }
  })

  it('pass for a mail from where and signed as its domain says', async () => {
    const { dns, service } = await world()
    publish(dns, 'good.example', 'v=spf1 ip4:127.0.0.1 -all')
    const { run, results } = await verdicts(service, 'good.example', (to) =>
      sendSigned(service, to, 'good.example'),
    )
    assert.deepEqual(results, ['pass', 'pass', 'pass'])
    assert.equal(run.passed, true)
    assert.match(String(run.results[0]?.detail), /^spf is pass for good\.example/)
  })

  it('fail for a mail that pretends', async () => {
    const { dns, service } = await world()
    publish(dns, 'victim.example', 'v=spf1 ip4:192.0.2.1 ~all')
    const { run, results } = await verdicts(service, 'victim.example', async (to) => {
      await service.sendMail({
        to,
        from: 'app@victim.example',
        raw: `From: app@victim.example\r\nTo: ${to}\r\nSubject: x\r\n\r\nPay me\r\n`,
      })
    })
    assert.deepEqual(results, ['softfail', 'none', 'fail'])
    assert.equal(run.passed, false)
    assert.match(
      String(run.results[0]?.detail),
      /^spf is softfail for victim\.example, expected pass/,
    )
  })

  it('check a mail without sender by the name of the client', async () => {
    const { dns, service } = await world()
    dns.set('client.example', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] })
    const { results } = await verdicts(service, 'app.example', async (to) => {
      await service.sendMail({ to, from: '', raw: 'From: x@app.example\r\n\r\nbounce\r\n' })
    })
    assert.deepEqual(results, ['pass', 'none', 'none'])
  })

  it('say that they could not be made when DNS does not answer', async () => {
    const { dns, service } = await world()
    dns.set('down.example', { fails: 'SERVFAIL' })
    const { results } = await verdicts(service, 'down.example', async (to) => {
      await service.sendMail({
        to,
        from: 'a@down.example',
        raw: 'From: a@down.example\r\n\r\nx\r\n',
      })
    })
    assert.equal(results[0], 'temperror')
  })

  it('are made when somebody reads the message', async () => {
    const { dns, service } = await world()
    publish(dns, 'read.example', 'v=spf1 ip4:127.0.0.1 -all')
    const mail = await sendFrom(service, await service.register(), 'read.example')
    const first = await mail.read()
    assert.equal(first.auth, null)
    const auth = await until(async () => (await mail.read()).auth)
    assert.equal(auth.spf.result, 'pass')
  })

  it('are made in a thread of their own, beside the scanner', async () => {
    await using dns = await startDnsServer()
    publish(dns, 'good.example', 'v=spf1 ip4:127.0.0.1 -all')
    // Nobody listens there.
    const env = { MAYFLY_DNS_SERVERS: dns.address, MAYFLY_CLAMD: '127.0.0.1:9' }
    await using service = await startService({
      env,
    })
    const mail = await sendFrom(service, await service.register(), 'good.example')
    const run = await mail.inbox.check([
      { type: 'auth', check: 'spf' },
      { type: 'auth', check: 'dmarc' },
    ])
    assert.equal(run.passed, true, JSON.stringify(run))
  })

  it('are made when nobody looks and no mail arrives', async () => {
    const { dns, service } = await world()
    publish(dns, 'idle.example', 'v=spf1 ip4:127.0.0.1 -all')
    await sendFrom(service, await service.register(), 'idle.example')
    await until(async () => (dns.questions.includes('TXT _dmarc.idle.example') ? true : null))
  })

  it('of one account do not wait for the name servers of another', async () => {
    const { dns, service } = await world()
    publish(dns, 'quick.example', 'v=spf1 ip4:127.0.0.1 -all')
    const names = Array.from({ length: 20 }, (_, index) => `silent${index}.example`)
    for (const name of names) dns.set(name, { fails: 'silence' })
    const dev = await service.register()
    const other = await service.register()
    const silent = []
    for (const name of names) silent.push(await sendFrom(service, other, name))
    await Promise.all(silent.map((mail) => mail.read()))
    const mail = await sendFrom(service, dev, 'quick.example')
    const run = await mail.inbox.check([{ type: 'auth', check: 'spf' }])
    assert.equal(run.passed, true, JSON.stringify(run))
    const before = dns.questions.slice(0, dns.questions.indexOf('TXT quick.example'))
    const asked = names.filter((name) => before.includes(`TXT ${name}`))
    assert.ok(asked.length < 16, `${asked.length} checks of the other account took every place`)
  })

  it('that a stop interrupts leave no verdict, and are made after the next start', async () => {
    await using database = await createMigratedSqlite()
    await using dns = await startDnsServer()
    dns.set('silent.example', { fails: 'silence' })
    const env = { MAYFLY_DNS_SERVERS: dns.address }
    const service = await startService({ database, env })
    const dev = await service.register()
    const mail = await sendFrom(service, dev, 'silent.example')
    await mail.read()
    await until(async () => (dns.questions.includes('TXT silent.example') ? true : null))
    await service[Symbol.asyncDispose]()
    assert.doesNotMatch(service.logged.join(''), /sender check/)

    dns.set('silent.example', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] })
    await using again = await startService({ database, env })
    const later = await again.account(dev.key).inboxes.get(mail.inbox.id)
    const auth = await until(async () => (await later.readMessage(mail.id)).auth)
    assert.equal(auth.spf.result, 'pass')
  })

  it('of a deleted inbox leave nothing in the log', async () => {
    const { dns, service } = await world()
    dns.set('slow.example', { fails: 'silence' })
    const dev = await service.register()
    const mail = await sendFrom(service, dev, 'slow.example')
    await mail.read()
    await until(async () => (dns.questions.includes('TXT slow.example') ? true : null))
    await mail.inbox.delete()
    dns.set('slow.example', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] })
    await until(async () => (dns.questions.includes('TXT _dmarc.slow.example') ? true : null))
    // Checked after it, and written in the same order.
    const later = await sendFrom(service, dev, 'other.example')
    await until(async () => (await later.read()).auth)
    assert.doesNotMatch(service.logged.join(''), /sender check/)
  })
})
