import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseConfig } from './config.ts'
import { settingsHelp, settingsTable } from './help.ts'
import { SETTINGS } from './settings.ts'

describe('configuration', () => {
  it('has a default for everything', () => {
    const config = parseConfig({})
    assert.equal(config.MAYFLY_HTTP_HOST, '127.0.0.1')
    assert.equal(config.MAYFLY_HTTP_PORT, 8025)
    assert.equal(config.MAYFLY_SMTP_PORT, 1025)
    assert.deepEqual(config.MAYFLY_DOMAINS, ['mayfly.test'])
    assert.equal(config.MAYFLY_BASE_URL, null)
    assert.equal(config.MAYFLY_METRICS, false)
  })

  it('takes larger mails by default where mail to any address is taken', () => {
    const bytes = (env: Record<string, string>) => parseConfig(env).MAYFLY_SMTP_MAX_MESSAGE_BYTES
    const MiB = 1024 * 1024
    assert.equal(bytes({}), 25 * MiB)
    for (const MAYFLY_CATCH_ALL of ['on', 'open']) {
      assert.equal(bytes({ MAYFLY_CATCH_ALL }), 50 * MiB)
      assert.equal(bytes({ MAYFLY_CATCH_ALL, MAYFLY_SMTP_MAX_MESSAGE_BYTES: '2048' }), 2048)
    }
  })

  it('reads lists, lowers domains, and leaves other variables alone', () => {
    const config = parseConfig({
      MAYFLY_DOMAINS: ' A.example , b.example',
      MAYFLY_PRIVATE_DOMAINS: '',
      PATH: '/bin',
      MAYFLY_API_KEY: 'mf_live_of_the_client',
    })
    assert.deepEqual(config.MAYFLY_DOMAINS, ['a.example', 'b.example'])
    assert.deepEqual(config.MAYFLY_PRIVATE_DOMAINS, [])
  })

  it('reads limits of plans that the operator overrides', () => {
    const config = parseConfig({
      MAYFLY_PLAN_KEY_ONLY: ' inboxesPerDay = 50, requestsPerMinute=none ,privateDomains=true',
      MAYFLY_PLAN_CONNECTED: 'retentionDays=30,',
    })
    assert.deepEqual(config.MAYFLY_PLAN_KEY_ONLY, {
      inboxesPerDay: 50,
      requestsPerMinute: null,
      privateDomains: true,
    })
    assert.deepEqual(config.MAYFLY_PLAN_CONNECTED, { retentionDays: 30 })
    assert.deepEqual(config.MAYFLY_PLAN_UNLIMITED, {})
  })

  const malformed: readonly [string, string, RegExp][] = [
    ['MAYFLY_HTTP_PORT', '65536', /from 0 to 65535, but is "65536"/],
    ['MAYFLY_HTTP_PORT', '-1', /whole number/],
    ['MAYFLY_POP3_PORT', 'x', /whole number from 0 to 65535, but is "x"/],
    ['MAYFLY_HTTP_HOST', '', /MAYFLY_HTTP_HOST/],
    ['MAYFLY_MAIL_HOST', '%% bad', /must be a host name/],
    ['MAYFLY_DOMAINS', 'a b', /domain names/],
    ['MAYFLY_DOMAINS', ' , ', /at least one/],
    ['MAYFLY_DATABASE_URL', 'mysql://x', /sqlite:PATH.+ or postgres/],
    ['MAYFLY_DATABASE_URL', 'sqlite://data/x.db', /sqlite:PATH, as sqlite:/],
    ['MAYFLY_BASE_URL', 'example.com', /http:\/\/ or https:\/\//],
    ['MAYFLY_BASE_URL', 'http://a b', /a URL that begins with/],
    ['MAYFLY_DNS_SERVERS', 'dns.example:53', /IP addresses with optional ports/],
    [
      'MAYFLY_OIDC_ISSUER',
      'http://idp.example',
      /https:\/\/, or with http:\/\/ and a loopback host/,
    ],
    ['MAYFLY_GITHUB_URL', 'http://localhost:1@idp.example', /a loopback host/],
    ['MAYFLY_GITHUB_URL', '', /MAYFLY_GITHUB_URL/],
    ['MAYFLY_METRICS', 'yes', /true or false/],
    ['MAYFLY_DATABASE_CONNECTIONS', '0', /from 1 to 1000/],
    ['MAYFLY_TRUSTED_PROXIES', 'proxy.example', /addresses or networks/],
    ['MAYFLY_TRUSTED_PROXIES', '10.0.0.0/33', /addresses or networks/],
    ['MAYFLY_TRUSTED_PROXIES', '10.1.2.3/8', /addresses or networks/],
    ['MAYFLY_TRUSTED_PROXIES', '10.0.0.0/', /addresses or networks/],
    ['MAYFLY_PLAN_KEY_ONLY', 'inboxPerDay=1', /did you mean inboxesPerDay\?/],
    ['MAYFLY_PLAN_KEY_ONLY', 'colour=1', /they are inboxesPerMonth, /],
    ['MAYFLY_PLAN_KEY_ONLY', 'inboxesPerDay', /from 0 to 1000000000 or none for inboxesPerDay/],
    ['MAYFLY_PLAN_KEY_ONLY', 'requestsPerMinute=0', /from 1 to /],
    ['MAYFLY_PLAN_KEY_ONLY', 'webhooks=-1', /whole number/],
    ['MAYFLY_PLAN_KEY_ONLY', 'retentionDays=none', /from 1 to 3650 for retentionDays/],
    ['MAYFLY_PLAN_KEY_ONLY', 'privateDomains=yes', /privateDomains=true/],
  ]
  for (const [name, value, message] of malformed) {
    it(`refuses ${name}=${JSON.stringify(value)}`, () => {
      assert.throws(() => parseConfig({ [name]: value }), message)
    })
  }

  it('takes name servers with and without a port', () => {
    const { MAYFLY_DNS_SERVERS } = parseConfig({
      MAYFLY_DNS_SERVERS: '127.0.0.1:5353, ::1,[::1]:53',
    })
    assert.deepEqual(MAYFLY_DNS_SERVERS, ['127.0.0.1:5353', '::1', '[::1]:53'])
  })

  it('takes networks of proxies', () => {
    const config = parseConfig({ MAYFLY_TRUSTED_PROXIES: '10.0.0.0/8, ::1,2001:db8::/32' })
    assert.deepEqual(config.MAYFLY_TRUSTED_PROXIES, ['10.0.0.0/8', '::1', '2001:db8::/32'])
  })

  it('refuses an unknown variable and names the nearest', () => {
    assert.throws(() => parseConfig({ MAYFLY_DOMAIN: 'x' }), /Did you mean MAYFLY_DOMAINS\?/)
    assert.throws(() => parseConfig({ MAYFLY_COLOUR: 'x' }), /mayfly serve --help/)
  })

  it('is listed completely in the help and in the table', () => {
    for (const name of Object.keys(SETTINGS)) {
      assert.ok(settingsHelp().includes(`  ${name}  (`), name)
      assert.ok(settingsTable().includes(`| \`${name}\` |`), name)
    }
  })
})
