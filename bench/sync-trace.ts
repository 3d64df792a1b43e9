// Whether a mail reaches the disk before `250`, by tracing the system calls of the service.
//
// Mails one by one: counts the replies that no sync preceded. Mails of many senders at a time: each
// sync is delayed, so that a reply that did not wait for a whole one comes too early.
//
//   node bench/sync-trace.ts [--mails=1000]     needs strace

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { option, printFigure } from './load/report.ts'
import { createInboxes, startService } from './load/service.ts'

const MAILS = option('mails', 1_000)
/** An inbox holds a thousand. */
const MAILS_PER_INBOX = 900
const SENDERS = 20
const MAILS_PER_SENDER = 20
const DELAY_MS = 50

await using service = await startService()
await traceOneByOne()
await delayTogether()

async function traceOneByOne(): Promise<void> {
  const inboxes = await createInboxes(service, Math.ceil(MAILS / MAILS_PER_INBOX))
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-trace-'))
  const file = join(folder, 'trace')
  const calls = 'trace=fdatasync,fsync,write,writev,sendto,sendmsg'
  const mails = Array.from({ length: MAILS }, (_, index) => ({
    to: inboxes[index % inboxes.length]?.emailAddress ?? '',
  }))
  {
    await using _strace = await attach(['-y', '-s', '64', '-o', file, '-e', calls])
    await sendMails(service.smtpPort, mails)
  }
  const { replies, violations } = judge(readFileSync(file, 'utf8'))
  rmSync(folder, { recursive: true, force: true })
  if (replies !== MAILS) throw new Error(`${replies} replies to ${MAILS} mails`)
  printFigure(`replies of ${replies} without a sync before`, violations, { atMost: 0 })
}

async function delayTogether(): Promise<void> {
  const inboxes = await createInboxes(service, SENDERS)
  const calls = `inject=fdatasync,fsync,pwritev,pwritev2:delay_enter=${DELAY_MS * 1000}`
  const times: number[] = []
  {
    await using _strace = await attach(['-o', '/dev/null', '-e', calls])
    const send = async (to: string) => {
      for (let sent = 0; sent < MAILS_PER_SENDER; sent += 1) {
        const startedAt = performance.now()
        const [answer] = await sendMails(service.smtpPort, [{ to }])
        if (answer?.mail?.startsWith('250') !== true) throw new Error(`refused: ${answer?.mail}`)
        times.push(performance.now() - startedAt)
      }
    }
    await Promise.all(inboxes.map(({ emailAddress }) => send(emailAddress)))
  }
  const early = times.filter((ms) => ms < DELAY_MS).length
  console.log(`each sync delayed by ${DELAY_MS} ms: first reply after ${Math.min(...times)} ms`)
  printFigure(`replies of ${times.length} that came earlier`, early, { atMost: 0 })
}

/** Traces the service until disposed. */
async function attach(args: readonly string[]): Promise<AsyncDisposable> {
  const strace = spawn('strace', ['-f', ...args, '-p', String(service.pid)])
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

/** A sync counts when it has returned; one that is under way when the reply goes out does not. */
function judge(trace: string): { readonly replies: number; readonly violations: number } {
  let replies = 0
  let violations = 0
  let isSynced = false
  for (const line of trace.split('\n')) {
    if (/f(data)?sync(\(\d+<[^>]*-wal>\)| resumed>\))\s+= 0/.test(line)) isSynced = true
    if (!line.includes('250 2.0.0 Message stored')) continue
    replies += 1
    if (!isSynced) violations += 1
    isSynced = false
  }
  return { replies, violations }
}
