import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { registerAccountAt } from '../testing-account.ts'
import { createApiClient } from '../testing-api-client.ts'
import { createSqlite } from '../testing-databases.ts'
import { freePort } from '../testing-free-port.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess, startUnreadServer } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

const STOP_MS_MAX = 10_000

/** More than a pipe, the process and its bound hold: each line has the path of its request. */
const REQUESTS = 300
const LONG_PATH = `/healthz?${'x'.repeat(7_000)}`

const ATTACHMENT =
  'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\n%PDF'

/** A server that logs each request, and mails in a thread: nothing scans their attachments. */
async function startServer(stdout: 'pipe' | number) {
  const resources = new AsyncDisposableStack()
  const database = resources.use(await createSqlite())
  const [httpPort, smtpPort] = [await freePort(), await freePort()]
  const env = {
    MAYFLY_DATABASE_URL: database.url,
    MAYFLY_HTTP_PORT: String(httpPort),
    MAYFLY_SMTP_PORT: String(smtpPort),
    MAYFLY_LOG_LEVEL: 'debug',
    MAYFLY_METRICS: 'true',
    MAYFLY_CLAMD: 'tcp://127.0.0.1:9',
  }
  const server = resources.use(startUnreadServer(env, stdout))
  const url = `http://127.0.0.1:${httpPort}`
  const api = createApiClient(url, null)
  await until(async () => {
    const health = await api.get('/healthz').catch(() => null)
    return health?.status === 200 ? true : null
  })
  const lostLines = async () => {
    const { text } = await api.get('/metrics')
    return Number(/^mayfly_log_lines_lost_total (\d+)$/m.exec(text)?.[1])
  }
  const request = async () => {
    for (let sent = 0; sent < REQUESTS; sent++) {
      assert.equal((await api.get(LONG_PATH)).status, 200)
    }
  }
  const receiveMail = async () => {
    const account = await registerAccountAt(url)
    const { emailAddress } = await account.inboxes.create()
    const [answer] = await sendMails(smtpPort, [{ to: emailAddress, raw: ATTACHMENT }])
    assert.match(answer?.mail ?? '', /^250 /)
  }
  const stop = async () => {
    const startedAt = performance.now()
    server.child.kill('SIGTERM')
    const code = await server.ended
    return { code, isInTime: performance.now() - startedAt < STOP_MS_MAX }
  }
  const dispose = () => resources.disposeAsync()
  return {
    ...{ server, lostLines, request, receiveMail, stop },
    [Symbol.asyncDispose]: dispose,
  }
}

describe('a log that cannot be written', () => {
  it('on a full disk: the service serves, counts the lines of all threads, and stops', async () => {
    const full = openSync('/dev/full', 'w')
    await using service = await startServer(full)
    closeSync(full)
    await service.request()
    const lost = await service.lostLines()
    assert.ok(lost >= REQUESTS, `${lost} lines were lost`)
    await service.receiveMail()
    assert.deepEqual(await service.stop(), { code: 0, isInTime: true })
  })

  it('whose reader has stopped: the service serves, counts, and stops', async () => {
    await using service = await startServer('pipe')
    await service.request()
    await service.receiveMail()
    assert.ok((await service.lostLines()) > 0)
    assert.deepEqual(await service.stop(), { code: 0, isInTime: true })
  })

  it('whose reader has stopped and goes on: what was lost is told once', async () => {
    await using service = await startServer('pipe')
    await service.request()
    const lost = await service.lostLines()
    const lines: { msg: string; lines?: number }[] = []
    const { stdout } = service.server.child
    assert.ok(stdout !== null)
    createInterface({ input: stdout }).on('line', (line) => lines.push(JSON.parse(line)))
    const find = async (msg: string) => lines.find((line) => line.msg.startsWith(msg)) ?? null
    const told = await until(() => find('lines of the log could not be written'))
    // That of the request for the metrics comes after them.
    assert.equal(told.lines, lost + 1)
    await service.receiveMail()
    await until(() => find('clamd does not work'))
    assert.deepEqual(await service.stop(), { code: 0, isInTime: true })
    assert.equal(lines.filter((line) => line.lines !== undefined).length, 1)
    assert.equal(lines.at(-1)?.msg, 'stopped')
  })

  it('whose reader is gone: the service serves, counts, and stops', async () => {
    await using service = await startServer('pipe')
    service.server.child.stdout?.destroy()
    await service.request()
    await service.receiveMail()
    assert.ok((await service.lostLines()) >= REQUESTS)
    assert.deepEqual(await service.stop(), { code: 0, isInTime: true })
  })
})

describe('the log for a person', () => {
  it('begins with what is open to whom, and has a line for each mail and refusal', async () => {
    await using database = await createSqlite()
    const [httpPort, smtpPort] = [await freePort(), await freePort()]
    await using server = startServerProcess({
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_HTTP_PORT: String(httpPort),
      MAYFLY_SMTP_PORT: String(smtpPort),
      MAYFLY_LOG_FORMAT: 'text',
    })
    const api = createApiClient(`http://127.0.0.1:${httpPort}`, null)
    await until(async () => {
      const health = await api.get('/readyz').catch(() => null)
      return health?.status === 200 ? true : null
    })
    const account = await registerAccountAt(`http://127.0.0.1:${httpPort}`)
    const { emailAddress } = await account.inboxes.create()
    await sendMails(smtpPort, [
      { to: emailAddress, subject: 'Your code', text: 'Your sign-in code is 481516.' },
      { to: 'jim@mayfly.test' },
    ])
    const lines = [
      'Mayfly 0.1.0 is ready.',
      `SMTP       127.0.0.1:${smtpPort}`,
      'Only programs of this machine reach it.',
      `${emailAddress}  "Your code"  code 481516`,
      'refused 550 jim@mayfly.test  no inbox has this address',
    ]
    await until(async () => (lines.every((line) => server.output().includes(line)) ? true : null))
    assert.doesNotMatch(server.output(), /^\{/m)
  })
})
