import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { createApiClient } from '../testing-api-client.ts'
import { createSqlite, onEachDatabase } from '../testing-databases.ts'
import { type ReadyLine, startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

/** A client that sends what it is told to, and never ends. */
function silentClient(port: number) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  return {
    write: (text: string) => void socket.write(text),
    read: () => received,
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** Whether nobody listens on a port. */
async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const refused = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
  })
  socket.destroy()
  return refused
}

describe('the process', () => {
  it('says where it listens, answers without a key, and stops on each signal', async () => {
    await using database = await createSqlite()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      await using server = startServerProcess({ MAYFLY_DATABASE_URL: database.url })
      const { httpUrl } = await server.ready
      const api = createApiClient(httpUrl, null)
      assert.deepEqual((await api.get('/healthz')).body, { status: 'alive' })
      assert.deepEqual((await api.get('/readyz')).body, { status: 'ready' })
      assert.equal((await api.get('/metrics')).status, 404)
      server.child.kill(signal)
      assert.equal(await server.ended, 0, server.output())
    }
  })

  it('stops in order on a signal that follows `ready` at once', { timeout: 30_000 }, async () => {
    await using database = await createSqlite()
    // The reader of the log may be quicker than the next statement.
    const preload = `const { write } = process.stdout
      process.stdout.write = (...args) => {
        if (String(args[0]).includes('"msg":"ready"')) process.kill(process.pid, 'SIGTERM')
        return write.apply(process.stdout, args)
      }`
    await using server = startServerProcess(
      { MAYFLY_DATABASE_URL: database.url },
      [],
      [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
    )
    assert.equal(await server.ended, 0, server.output())
    assert.match(server.output(), /"msg":"stopped"/)
  })

  it('stops all its listeners at once, whatever their clients do', async () => {
    await using database = await createSqlite()
    await using server = startServerProcess({ MAYFLY_DATABASE_URL: database.url })
    const { httpUrl, smtpPort } = await server.ready
    const dev = await registerAccountAt(httpUrl)
    const { emailAddress } = await dev.inboxes.create()
    using http = silentClient(Number(new URL(httpUrl).port))
    http.write('POST /v1/inboxes HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{')
    using smtp = silentClient(smtpPort)
    const mail = `EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${emailAddress}>\r\nDATA\r\nSubject: x`
    smtp.write(mail)
    await until(async () => (smtp.read().includes('\r\n354 ') ? true : null))
    server.child.kill('SIGTERM')
    await until(async () => ((await isRefused(smtpPort)) ? true : null))
    assert.equal(server.child.exitCode, null, 'the client of HTTP still has time')
    assert.equal(await server.ended, 0, server.output())
  })

  it('exits with 1 when it could not finish stopping', async () => {
    await using database = await createSqlite()
    const preload = `import { Server } from 'node:http'
      Server.prototype.close = function () { return this }`
    await using server = startServerProcess(
      { MAYFLY_DATABASE_URL: database.url },
      [],
      [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
    )
    await server.ready
    server.child.kill('SIGTERM')
    assert.equal(await server.ended, 1, server.output())
    assert.match(server.output(), /did not stop within 9500 ms/)
  })

  it('takes over data after a crash', async () => {
    await using database = await createSqlite()
    const env = { MAYFLY_DATABASE_URL: database.url }
    await using first = startServerProcess(env)
    await first.ready
    first.child.kill('SIGKILL')
    await first.ended
    await using second = startServerProcess(env)
    await second.ready
  })

  it('says how many accounts keep their plan when new ones get another', async () => {
    await using database = await createSqlite()
    const env = { MAYFLY_DATABASE_URL: database.url }
    await using before = startServerProcess({ ...env, MAYFLY_DEFAULT_PLAN: 'key_only' })
    const { httpUrl } = await before.ready
    await registerAccountAt(httpUrl)
    before.child.kill('SIGTERM')
    await before.ended
    assert.doesNotMatch(before.output(), /applies to new accounts/)

    await using after = startServerProcess({ ...env, MAYFLY_DEFAULT_PLAN: 'unlimited' })
    await after.ready
    assert.match(
      after.output(),
      /"level":"warn".*MAYFLY_DEFAULT_PLAN=unlimited applies to new accounts; 1 account keeps the plan key_only\..*`mayfly admin plan EMAIL unlimited` moves one/,
    )
  })

  it('refuses a setting that is unknown or malformed, in one line', async () => {
    const cases: readonly [Record<string, string>, RegExp][] = [
      [
        { MAYFLY_HTTP_PROT: '1' },
        /^mayfly: MAYFLY_HTTP_PROT is not .* Did you mean MAYFLY_HTTP_PORT\?$/,
      ],
      [
        { MAYFLY_HTTP_PORT: 'x' },
        /^mayfly: MAYFLY_HTTP_PORT must be a whole number from 0 to 65535, but is "x"\.$/,
      ],
      [{ MAYFLY_DEFAULT_PLAN: 'gold' }, /^mayfly: MAYFLY_DEFAULT_PLAN must be "key_only" or .*$/],
    ]
    for (const [env, line] of cases) {
      await using server = startServerProcess(env)
      assert.equal(await server.ended, 1)
      assert.match(server.output(), line)
    }
  })

  it('refuses arguments, which would change nothing', async () => {
    for (const args of [
      ['--port', '9'],
      ['serve', 'now'],
    ]) {
      await using server = startServerProcess({}, args)
      assert.equal(await server.ended, 2)
      assert.match(
        server.output(),
        /^mayfly: unexpected argument "(--port|now)"\. Settings are env/,
      )
    }
  })

  it('explains every setting on --help', async () => {
    for (const args of [['--help'], ['help', 'serve']]) {
      await using server = startServerProcess({}, args)
      assert.equal(await server.ended, 0)
      for (const name of ['MAYFLY_HTTP_PORT', 'MAYFLY_DATABASE_URL', 'MAYFLY_DOMAINS']) {
        assert.match(server.output(), new RegExp(`${name}  \\(`))
      }
    }
  })
})

describe('beside a running process', () => {
  const resources = new AsyncDisposableStack()
  let databaseUrl = ''
  let first: ReadyLine
  before(async () => {
    databaseUrl = resources.use(await createSqlite()).url
    const env = { MAYFLY_DATABASE_URL: databaseUrl, MAYFLY_METRICS: 'true' }
    first = await resources.use(startServerProcess(env)).ready
  })
  after(() => resources.disposeAsync())

  it('a second refuses to start on the same data, and says why', async () => {
    await using second = startServerProcess({ MAYFLY_DATABASE_URL: databaseUrl })
    assert.equal(await second.ended, 1)
    assert.match(second.output(), /^mayfly: Another Mayfly is running on [^\n]+$/)
  })

  it('a second says which port is taken', async () => {
    await using database = await createSqlite()
    for (const [name, port] of [
      ['MAYFLY_HTTP_PORT', new URL(first.httpUrl).port],
      ['MAYFLY_SMTP_PORT', String(first.smtpPort)],
    ] as const) {
      await using second = startServerProcess({ MAYFLY_DATABASE_URL: database.url, [name]: port })
      assert.equal(await second.ended, 1)
      assert.match(second.output(), new RegExp(`mayfly: The port is in use\\..*${name}`))
    }
  })

  it('metrics are served when asked for', async () => {
    const api = createApiClient(first.httpUrl, null)
    await api.get('/healthz')
    const metrics = await api.get('/metrics')
    assert.equal(metrics.status, 200)
    assert.match(metrics.text, /mayfly_http_request_seconds_count\{[^}]*route="\/healthz"/)
    assert.match(metrics.text, /process_resident_memory_bytes/)
  })
})

onEachDatabase('the process', (create) => {
  it('keeps what it was told across a restart', async () => {
    await using database = await create()
    const env = { MAYFLY_DATABASE_URL: database.url }
    const key = await (async () => {
      await using server = startServerProcess(env)
      const dev = await registerAccountAt((await server.ready).httpUrl)
      await dev.inboxes.create({ localPart: 'kept' })
      server.child.kill('SIGTERM')
      assert.equal(await server.ended, 0)
      return dev.key
    })()
    await using server = startServerProcess(env)
    const dev = accountWithKey((await server.ready).httpUrl, key)
    assert.deepEqual(
      (await dev.inboxes.list()).inboxes.map(({ emailAddress }) => emailAddress),
      ['kept@mayfly.test'],
    )
    assert.equal((await dev.account.read()).usage.requests, 3)
  })
})
