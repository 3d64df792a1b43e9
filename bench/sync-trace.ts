// Whether the write reaches the disk before `250`: traces the system calls of the service while
// mails are sent one by one, and counts replies that no sync preceded.
//
//   node bench/sync-trace.ts [MAILS]      needs strace

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiClient } from '../packages/server/test/testing-api-client.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'

const MAILS = Number(process.argv[2] ?? 1_000)
/** An inbox holds a thousand. */
const MAILS_PER_INBOX = 900

const folder = mkdtempSync(join(tmpdir(), 'mayfly-trace-'))
const traceFile = join(folder, 'trace')
await using server = startServerProcess({
  MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'mayfly.db')}`,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
})
const { httpUrl, smtpPort } = await server.ready
const anonymous = createApiClient(httpUrl, null)
const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'a@b.example' })).body

const calls = 'trace=fdatasync,fsync,write,writev,sendto,sendmsg'
const strace = spawn('strace', [
  ...['-f', '-y', '-s', '64', '-e', calls, '-o', traceFile],
  ...['-p', String(server.child.pid)],
])
// It says on standard error that it has attached.
await once(strace.stderr, 'data')
for (let sent = 0; sent < MAILS; sent += MAILS_PER_INBOX) {
  const { inbox } = (await anonymous.withKey(apiKey).post('/v1/inboxes')).body
  const count = Math.min(MAILS_PER_INBOX, MAILS - sent)
  await sendMails(smtpPort, Array(count).fill({ to: inbox.emailAddress }))
}
strace.kill('SIGINT')
await once(strace, 'close')
const { replies, violations } = judge(readFileSync(traceFile, 'utf8'))
console.log(`${replies} replies of 250 to a mail, ${violations} without a sync before (goal: 0)`)
rmSync(folder, { recursive: true, force: true })
process.exitCode = replies === MAILS && violations === 0 ? 0 : 1

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
