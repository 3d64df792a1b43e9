import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { it } from 'node:test'
import { createTransport } from 'nodemailer'
import { onEachDatabase } from '../testing-databases.ts'
import { type DnsServer, startDnsServer } from '../testing-dns-server.ts'
import { startService, type TestService } from '../testing-start-service.ts'

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
  const { inbox } = (await dev.post('/v1/inboxes')).body
  await send(inbox.emailAddress)
  const checks = ['spf', 'dkim', 'dmarc'].map((check) => ({ type: 'auth', check }))
  const run = await dev.post(`/v1/inboxes/${inbox.id}/assert`, { assertions: checks })
  const { messages } = (await dev.get(`/v1/inboxes/${inbox.id}/messages`)).body
  const { auth } = (await dev.get(`/v1/inboxes/${inbox.id}/messages/${messages[0].id}`)).body
  assert.equal(auth.dmarc.domain ?? domain, domain)
  return { run: run.body, results: [auth.spf.result, auth.dkim.result, auth.dmarc.result] }
}

onEachDatabase('sender checks', (create) => {
  it('pass for a mail from where and signed as its domain says', async () => {
    await using database = await create()
    await using dns = await startDnsServer()
    publish(dns, 'good.example', 'v=spf1 ip4:127.0.0.1 -all')
    await using service = await startService({
      database,
      env: { MAYFLY_DNS_SERVERS: dns.address },
    })
    const { run, results } = await verdicts(service, 'good.example', (to) =>
      sendSigned(service, to, 'good.example'),
    )
    assert.deepEqual(results, ['pass', 'pass', 'pass'])
    assert.equal(run.passed, true)
    assert.match(run.results[0].detail, /^spf is pass for good\.example/)
  })

  it('fail for a mail that pretends', async () => {
    await using database = await create()
    await using dns = await startDnsServer()
    publish(dns, 'victim.example', 'v=spf1 ip4:192.0.2.1 ~all')
    await using service = await startService({
      database,
      env: { MAYFLY_DNS_SERVERS: dns.address },
    })
    const { run, results } = await verdicts(service, 'victim.example', async (to) => {
      await service.sendMail({
        to,
        from: 'app@victim.example',
        raw: `From: app@victim.example\r\nTo: ${to}\r\nSubject: x\r\n\r\nPay me\r\n`,
      })
    })
    assert.deepEqual(results, ['softfail', 'none', 'fail'])
    assert.equal(run.passed, false)
    assert.match(run.results[0].detail, /^spf is softfail for victim\.example, expected pass/)
  })

  it('check a mail without sender by the name of the client', async () => {
    await using database = await create()
    await using dns = await startDnsServer()
    dns.set('client.example', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] })
    await using service = await startService({
      database,
      env: { MAYFLY_DNS_SERVERS: dns.address },
    })
    const { results } = await verdicts(service, 'app.example', async (to) => {
      await service.sendMail({ to, from: '', raw: 'From: x@app.example\r\n\r\nbounce\r\n' })
    })
    assert.deepEqual(results, ['pass', 'none', 'none'])
  })

  it('say that they could not be made when DNS does not answer', async () => {
    await using database = await create()
    await using dns = await startDnsServer()
    dns.set('down.example', { fails: 'SERVFAIL' })
    await using service = await startService({
      database,
      env: { MAYFLY_DNS_SERVERS: dns.address },
    })
    const { results } = await verdicts(service, 'down.example', async (to) => {
      await service.sendMail({
        to,
        from: 'a@down.example',
        raw: 'From: a@down.example\r\n\r\nx\r\n',
      })
    })
    assert.equal(results[0], 'temperror')
  })
})
