import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as server from '@mayfly/server'
import { createAuthority, daysFromNow } from '../../server/test/testing-certificates.ts'
import { createSqlite, onEachDatabase } from '../../server/test/testing-databases.ts'
import { startDnsServer } from '../../server/test/testing-dns-server.ts'
import { startServerProcess } from '../../server/test/testing-server-process.ts'
import { portCheck } from '../src/doctor/port-check.ts'
import { openShell } from './testing-run-command.ts'

type Found = {
  readonly check: string
  readonly level: 'fine' | 'warning' | 'problem'
  readonly text: string
  readonly remedy?: string
}

async function examine(env: Record<string, string>): Promise<{ code: number; found: Found[] }> {
  await using shell = await openShell({ env })
  const { code, out, err } = await shell.run('admin', 'doctor', '--json')
  assert.ok(out !== '', err)
  return { code, found: JSON.parse(out) }
}

/** What was found about something, which must be found once. */
function about(found: readonly Found[], text: RegExp): Found {
  const matching = found.filter((finding) => text.test(finding.text))
  assert.equal(matching.length, 1, `${text} in ${JSON.stringify(found, null, 1)}`)
  return matching[0] ?? assert.fail()
}

onEachDatabase('mayfly admin doctor', (create) => {
  it('finds a running service well', async () => {
    await using database = await create()
    await using dns = await startDnsServer()
    const env = { MAYFLY_DATABASE_URL: database.url, MAYFLY_DNS_SERVERS: dns.address }
    await using server = startServerProcess(env)
    const { httpUrl, smtpPort } = await server.ready
    const ports = { MAYFLY_HTTP_PORT: new URL(httpUrl).port, MAYFLY_SMTP_PORT: String(smtpPort) }
    const { code, found } = await examine({ ...env, ...ports })
    assert.deepEqual(
      found.filter(({ level }) => level !== 'fine'),
      [],
    )
    assert.equal(code, 0)
    assert.deepEqual(
      [...new Set(found.map(({ check }) => check))],
      ['database', 'ports', 'DNS', 'certificates'],
    )
    assert.ok(!JSON.stringify(found).includes('mayfly:mayfly@'), 'no password is shown')

    await using shell = await openShell({ env: { ...env, ...ports } })
    const { out } = await shell.run('admin', 'doctor')
    assert.match(out, /^fine {5}database {6}.* can be opened, its schema is current$/m)
  })
})

describe('mayfly admin doctor', () => {
  it('says how to fix problems: no database, no service', async () => {
    await using dns = await startDnsServer()
    await using shell = await openShell({
      env: {
        MAYFLY_DATABASE_URL: 'sqlite:/nowhere/mayfly.db',
        MAYFLY_HTTP_PORT: '1',
        MAYFLY_SMTP_PORT: '1',
        MAYFLY_DNS_SERVERS: dns.address,
      },
    })
    const { code, out, err } = await shell.run('admin', 'doctor')
    assert.equal(code, 1)
    assert.match(out, /^problem {2}database .*There is no database at \/nowhere\/mayfly\.db/m)
    assert.match(out, /^warning {2}ports .*the API does not respond at 127\.0\.0\.1:1 /m)
    assert.match(out, /^ +Start it: mayfly serve$/m)
    assert.equal(err, 'mayfly: 1 problem found.\n')
  })

  it('notices that another program has the ports', async () => {
    await using database = await createSqlite()
    const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    // A listening server has an address that is not a path.
    const port = String((other.address() as AddressInfo).port)
    try {
      const { found } = await examine({
        MAYFLY_DATABASE_URL: database.url,
        MAYFLY_HTTP_PORT: port,
        MAYFLY_SMTP_PORT: port,
      })
      const other = found.filter(({ text }) => /another program responds/.test(text))
      assert.deepEqual(
        other.map(({ level }) => level),
        ['problem', 'problem'],
      )
    } finally {
      other.close()
    }
  })

  it('follows real domains to this machine', async () => {
    await using database = await createSqlite()
    await using dns = await startDnsServer()
    const env = {
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_DNS_SERVERS: dns.address,
      MAYFLY_DOMAINS: 'one.mail.dev,two.mail.dev',
      MAYFLY_PRIVATE_DOMAINS: '',
      MAYFLY_MAIL_HOST: 'mx.mail.dev',
    }
    const before = await examine(env)
    assert.equal(about(before.found, /mx\.mail\.dev has no address/).level, 'problem')
    assert.equal(
      about(before.found, /MX record of one\.mail\.dev does not point to mx\.mail\.dev: found none/)
        .level,
      'problem',
    )
    assert.equal(about(before.found, /other machines cannot deliver mail/).level, 'warning')

    // An address of this machine, where nobody listens on port 25.
    dns.set('mx.mail.dev', { A: ['127.77.77.77', '127.77.77.78'], AAAA: ['::1'] })
    dns.set('77.77.77.127.in-addr.arpa', { PTR: ['mx.mail.dev'] })
    dns.set('78.77.77.127.in-addr.arpa', { PTR: ['host.elsewhere.dev'] })
    dns.set(`1.${'0.'.repeat(31)}ip6.arpa`, { PTR: ['mx.mail.dev'] })
    dns.set('one.mail.dev', { MX: [{ priority: 5, exchange: 'mx.mail.dev' }] })
    dns.set('two.mail.dev', { MX: [{ priority: 5, exchange: 'mx.elsewhere.dev' }] })
    const { found } = await examine(env)
    assert.equal(about(found, /mx\.mail\.dev has the address 127\.77\.77\.77, /).level, 'fine')
    assert.equal(about(found, /PTR record of 127\.77\.77\.77 names mx\.mail\.dev/).level, 'fine')
    assert.equal(about(found, /PTR record of ::1 names mx\.mail\.dev/).level, 'fine')
    const other = about(found, /PTR record of 127\.77\.77\.78 does not name mx\.mail\.dev/)
    assert.deepEqual(
      [other.level, /found (\S+)/.exec(other.text)?.[1]],
      ['warning', 'host.elsewhere.dev'],
    )
    assert.equal(about(found, /mx\.mail\.dev does not respond on port 25/).level, 'warning')
    assert.equal(about(found, /MX record of one\.mail\.dev points to mx\.mail\.dev/).level, 'fine')
    const { remedy, text } = about(found, /MX record of two\.mail\.dev does not/)
    assert.match(text, /found mx\.elsewhere\.dev/)
    assert.equal(remedy, 'Publish: two.mail.dev. MX 10 mx.mail.dev.')

    const silent = await examine({ ...env, MAYFLY_DNS_SERVERS: '127.0.0.1:9' })
    assert.equal(about(silent.found, /127\.0\.0\.1:9 do not respond/).level, 'problem')
  })

  it('finds the service behind port 25 of the mail host, or another mail server', async () => {
    await using dns = await startDnsServer()
    dns.set('mx.mail.dev', { A: ['127.0.0.1'] })
    const env = {
      MAYFLY_DNS_SERVERS: dns.address,
      MAYFLY_DOMAINS: 'one.mail.dev',
      MAYFLY_PRIVATE_DOMAINS: '',
      MAYFLY_HTTP_PORT: '0',
      MAYFLY_SMTP_PORT: '0',
    }
    await using database = await createSqlite()
    await using service = startServerProcess({
      ...env,
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_MAIL_HOST: 'mx.mail.dev',
    })
    const { smtpPort: mailPort } = await service.ready
    // Port 25 needs root, so the check gets the port to which it would be forwarded.
    const findings = (mailHost: string) => {
      const config = server.parseConfig({ ...env, MAYFLY_MAIL_HOST: mailHost })
      return portCheck.run({ server, config, now: Date.now(), mailPort })
    }
    const behind = (await findings('mx.mail.dev')).find(({ text }) => text.includes('port 25'))
    assert.deepEqual(behind, { level: 'fine', text: 'mx.mail.dev responds on port 25' })

    dns.set('other.mail.dev', { A: ['127.0.0.1'] })
    const other = (await findings('other.mail.dev')).find(({ text }) => text.includes('port 25'))
    assert.equal(other?.level, 'problem')
    assert.match(other.text, /^another mail server .* of other\.mail\.dev: 220 mx\.mail\.dev /)
  })

  it('reads certificates', async () => {
    await using database = await createSqlite()
    await using shell = await openShell()
    const authority = createAuthority()
    const write = async (name: string, text: string) => {
      const file = join(shell.home, name)
      await writeFile(file, text)
      return file
    }
    const host = 'mx.mayfly.test'
    const pair = async (name: string, hosts: readonly string[], until: number) => {
      const issued = authority.issue(hosts, { from: daysFromNow(-30), until: daysFromNow(until) })
      return {
        MAYFLY_SMTP_TLS_CERT: await write(`${name}.crt`, issued.cert),
        MAYFLY_SMTP_TLS_KEY: await write(`${name}.key`, issued.key),
      }
    }
    const good = await pair('good', [host], 90)
    const other = await pair('other', [host], 90)
    const cases: readonly [Record<string, string>, Found['level'], RegExp][] = [
      [good, 'fine', /good\.crt expires in (?:89|90) days/],
      [await pair('soon', [host], 7), 'warning', /soon\.crt expires in [67] days/],
      [await pair('old', [host], -1), 'problem', /old\.crt has expired/],
      [await pair('alien', ['mx.other.test'], 90), 'problem', /is not for mx\.mayfly\.test/],
      [
        { ...good, MAYFLY_SMTP_TLS_KEY: other.MAYFLY_SMTP_TLS_KEY },
        'problem',
        /does not match .*good\.crt/,
      ],
      [
        { ...good, MAYFLY_SMTP_TLS_CERT: await write('bad.crt', 'nonsense') },
        'problem',
        /cannot be read/,
      ],
      [{ MAYFLY_EXTRA_CA: await write('ca.pem', authority.pem) }, 'fine', /ca\.pem contains/],
      [{ MAYFLY_EXTRA_CA: join(shell.home, 'none.pem') }, 'problem', /none\.pem cannot be read/],
      [{ MAYFLY_BASE_URL: 'https://127.0.0.1:9' }, 'problem', /https:\/\/127\.0\.0\.1:9 cannot be/],
    ]
    for (const [env, level, text] of cases) {
      const { found } = await examine({ MAYFLY_DATABASE_URL: database.url, ...env })
      assert.equal(about(found, text).level, level)
    }
  })
})
