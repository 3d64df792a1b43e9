// A disk of 64 MB, with the log on it, that is full again and again: mail is refused with 452, the
// API answers 503, the process lives, and all is well within 5 s of freeing space. Needs root, to
// mount a tmpfs.
//
//   npm run soak -- --only full-disk

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Inbox } from '@mayfly/client'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { registerAccountAt, type TestAccount } from '../testing-account.ts'
import { freePort } from '../testing-free-port.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess, startUnreadServer } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

const MiB = 1024 * 1024
const DISK_MIB = 64
const CYCLES = soakRounds({ short: 2, long: 50 })
const CYCLES_PER_DISK = 10
const RECOVERY_MS_MAX = 5_000

/** Sends mails of a mebibyte that do not compress until one is refused. */
async function sendUntilRefused(port: number, inbox: Inbox) {
  const acknowledged: string[] = []
  for (let i = 0; i <= DISK_MIB; i++) {
    const subject = `${inbox.id} ${i}`
    const [answer] = await sendMails(port, [{ to: inbox.emailAddress, raw: largeMail(subject) }])
    const reply = answer?.mail ?? answer?.recipients?.[0] ?? ''
    if (!reply.startsWith('250')) return { acknowledged, reply }
    acknowledged.push(subject)
  }
  assert.fail('the disk was never full')
}

function largeMail(subject: string): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
  const lines = random.toString('base64').match(/.{1,76}/g) ?? []
  const part = `${lines.join('\r\n')}\r\n`
  return `Subject: ${subject}\r\n\r\n${part.repeat(Math.ceil(MiB / part.length))}`
}

/** Takes all space that is left on the disk. */
function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w')
  for (const size of [MiB, 4_096]) {
    const chunk = Buffer.alloc(size)
    try {
      for (;;) writeSync(descriptor, chunk)
    } catch (error) {
      assert.match(String(error), /ENOSPC/)
    }
  }
  closeSync(descriptor)
}

/** A write of the API: 201, or 503 with the one error that says so. */
async function writeStatus(account: TestAccount): Promise<number> {
  const { status, body } = await account.post('/v1/inboxes')
  if (status !== 201) assert.deepEqual([status, body.error.code], [503, 'storage_unavailable'])
  return status
}

async function cycle(account: TestAccount, disk: string, smtpPort: number): Promise<number> {
  const inbox = await account.inboxes.create()
  const filler = join(disk, 'filler')
  fillDisk(filler)
  const { acknowledged, reply } = await sendUntilRefused(smtpPort, inbox)
  assert.match(reply, /^452 /, reply)
  await until(async () => ((await writeStatus(account)) === 503 ? true : null))
  assert.equal((await account.get('/v1/inboxes')).status, 200)
  assert.equal((await account.get('/readyz')).status, 503)
  await refusesStart(disk)
  rmSync(filler)
  const freedAt = performance.now()
  await until(async () => {
    const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject: 'after' }])
    return answer?.mail?.startsWith('250') === true ? true : null
  })
  await until(async () => ((await writeStatus(account)) === 201 ? true : null))
  await until(async () => ((await account.get('/readyz')).status === 200 ? true : null))
  const recoveryMs = performance.now() - freedAt
  assert.ok(recoveryMs <= RECOVERY_MS_MAX, `accepting again after ${recoveryMs} ms`)
  const { messages } = await inbox.listMessages({ limit: 100 })
  const stored = new Set(messages.map(({ subject }) => subject))
  assert.deepEqual(
    acknowledged.filter((subject) => !stored.has(subject)),
    [],
    'acknowledged and lost',
  )
  await inbox.delete()
  return recoveryMs
}

/** A service on a full disk ends with one line that says so. */
async function refusesStart(disk: string): Promise<void> {
  const url = `sqlite:${join(disk, 'another.db')}`
  await using another = startServerProcess({ MAYFLY_DATABASE_URL: url })
  assert.equal(await another.ended, 1)
  const refusal = another
    .output()
    .split('\n')
    .filter((line) => line.startsWith('mayfly: '))
  assert.match(refusal.join(), /space left on/)
  assert.ok(!another.output().includes('    at '), another.output())
}

/** Fills a new disk this often; the longest time until mail was accepted again. */
async function fillDiskOften(times: number, onFilled: () => void): Promise<number> {
  const disk = mkdtempSync(join(tmpdir(), 'mayfly-full-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk])
  try {
    const [httpPort, smtpPort] = [await freePort(), await freePort()]
    const log = openSync(join(disk, 'log'), 'w')
    await using server = startUnreadServer(
      {
        MAYFLY_DATABASE_URL: `sqlite:${join(disk, 'mayfly.db')}`,
        MAYFLY_DEFAULT_PLAN: 'unlimited',
        MAYFLY_DNS_SERVERS: '127.0.0.1:9',
        MAYFLY_HTTP_PORT: String(httpPort),
        MAYFLY_SMTP_PORT: String(smtpPort),
        // A line for each request.
        MAYFLY_LOG_LEVEL: 'debug',
      },
      log,
    )
    closeSync(log)
    const url = `http://127.0.0.1:${httpPort}`
    const account = await until(() => registerAccountAt(url).catch(() => null))
    let longestMs = 0
    for (let done = 0; done < times; done++) {
      longestMs = Math.max(longestMs, await cycle(account, disk, smtpPort))
      onFilled()
    }
    assert.equal(server.child.exitCode, null, 'the process ended')
    server.child.kill('SIGTERM')
    assert.equal(await server.ended, 0)
    return longestMs
  } finally {
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  }
}

const progress = soakProgress('full disks', CYCLES)
let done = 0
let longestMs = 0
while (done < CYCLES) {
  // Later the store itself would take the whole disk, so that nothing could be freed.
  const times = Math.min(CYCLES_PER_DISK, CYCLES - done)
  longestMs = Math.max(longestMs, await fillDiskOften(times, () => progress(++done)))
}
const recovered = `accepting again within ${Math.round(longestMs)} ms`
process.stdout.write(`${CYCLES} full disks: 452 and 503, nothing lost, ${recovered}\n`)
