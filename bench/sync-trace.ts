// Whether a mail reaches the disk before `250`, by tracing the system calls of the service.
//
// Mails one by one: counts the replies that no sync preceded. Mails of many senders at a time, most
// of which are acknowledged by way of the spool: each sync is delayed, so that a reply that did not
// wait for a whole one comes too early.
//
//   node bench/sync-trace.ts [MAILS]      needs strace

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiClient } from '../packages/server/test/testing-api-client.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'

const MAILS = Number(process.argv[2] ?? 1_000)
/** An inbox holds a thousand. */
const MAILS_PER_INBOX = 900

const SENDERS = 20
const MAILS_PER_SENDER = 20
const DELAY_MS = 50

const folder = mkdtempSync(join(tmpdir(), 'mayfly-trace-'))
const traceFile = join(folder, 'trace')
await using server = startServerProcess({
  MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'mayfly.db')}`,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
})
const { httpUrl, smtpPort } = await server.ready
const anonymous = createApiClient(httpUrl, null)
const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'a@b.example' })).body
const isSynced = await traceOneByOne()
const isSyncedTogether = await delayTogether()
rmSync(folder, { recursive: true, force: true })
process.exitCode = isSynced && isSyncedTogether ? 0 : 1

async function traceOneByOne(): Promise<boolean> {
  await using _strace = await attach([
    ...['-y', '-s', '64', '-o', traceFile],
    ...['-e', 'trace=fdatasync,fsync,write,writev,sendto,sendmsg'],
  ])
  for (let sent = 0; sent < MAILS; sent += MAILS_PER_INBOX) {
    const count = Math.min(MAILS_PER_INBOX, MAILS - sent)
    await sendMails(smtpPort, Array(count).fill({ to: await createInbox() }))
  }
  await _strace[Symbol.asyncDispose]()
  const { replies, violations } = judge(readFileSync(traceFile, 'utf8'))
  print(`${replies} replies of 250 to a mail, ${violations} without a sync before (goal: 0)`)
  return replies === MAILS && violations === 0
}

async function delayTogether(): Promise<boolean> {
  const inboxes = await Promise.all(Array.from({ length: SENDERS }, createInbox))
  // The spool is written by pwritev, and nothing else is.
  const inject = `inject=fdatasync,fsync,pwritev,pwritev2:delay_enter=${DELAY_MS * 1000}`
  await using _strace = await attach(['-o', '/dev/null', '-e', inject])
  const times: number[] = []
  const send = async (to: string) => {
    for (let i = 0; i < MAILS_PER_SENDER; i++) {
      const startedAt = performance.now()
      const [answer] = await sendMails(smtpPort, [{ to }])
      if (answer?.mail?.startsWith('250') === true) times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(inboxes.map(send))
  const early = times.filter((ms) => ms < DELAY_MS).length
  const least = Math.min(...times).toFixed(0)
  print(
    `${times.length} replies to ${SENDERS} senders, each sync delayed by ${DELAY_MS} ms: the first after ${least} ms, ${early} too early (goal: 0)`,
  )
  const spools = spoolFlags()
  const isDurable = spools.length > 0 && spools.every((flags) => (flags & constants.O_DSYNC) !== 0)
  print(
    `${spools.length} files of the spool, ${isDurable ? 'all' : 'NOT all'} written with O_DSYNC`,
  )
  return times.length === SENDERS * MAILS_PER_SENDER && early === 0 && isDurable
}

/** How the service has opened the files of its spool. */
function spoolFlags(): readonly number[] {
  const process = `/proc/${server.child.pid}`
  const isSpool = (file: string) => {
    try {
      return readlinkSync(`${process}/fd/${file}`).includes('-spool-')
    } catch {
      // It was closed since it was listed.
      return false
    }
  }
  return readdirSync(`${process}/fd`)
    .filter(isSpool)
    .map((file) => {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`${process}/fdinfo/${file}`, 'utf8'))?.[1]
      return Number.parseInt(flags ?? '0', 8)
    })
}

/** Traces the service until disposed. */
async function attach(args: readonly string[]): Promise<AsyncDisposable> {
  const strace = spawn('strace', ['-f', ...args, '-p', String(server.child.pid)])
  const closed = once(strace, 'close')
  // It says on standard error that it has attached.
  await once(strace.stderr, 'data')
  return {
    [Symbol.asyncDispose]: async () => {
      strace.kill('SIGINT')
      await closed
    },
  }
}

async function createInbox(): Promise<string> {
  const { inbox } = (await anonymous.withKey(apiKey).post('/v1/inboxes')).body
  return inbox.emailAddress
}

/** A sync counts when it has returned; one that is under way when the reply goes out does not. */
function judge(trace: string): { replies: number; violations: number } {
  let replies = 0
  let violations = 0
  let isSynced = false
  for (const line of trace.split('\n')) {
    const isSync =
      /f(data)?sync\(\d+<[^>]*-wal>\)\s+= 0/.test(line) ||
      /f(data)?sync resumed>\)\s+= 0/.test(line)
    if (isSync) isSynced = true
    if (!line.includes('250 2.0.0 Message stored')) continue
    replies += 1
    if (!isSynced) violations += 1
    isSynced = false
  }
  return { replies, violations }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
