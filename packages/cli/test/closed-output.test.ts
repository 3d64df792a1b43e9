import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { until } from '../../server/test/testing-until.ts'
import { type Place, signedUp } from './testing-signed-up.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')

/** Starts a shell script that calls the function `mayfly`, a process of its own. */
function startScript({ shell, service }: Place, script: string) {
  const program = `mayfly() { "${process.execPath}" "${MAIN}" "$@"; }\n${script}`
  const child = spawn('bash', ['-c', program], {
    env: {
      ...process.env,
      HOME: shell.home,
      XDG_CONFIG_HOME: join(shell.home, '.config'),
      MAYFLY_BASE_URL: service.httpUrl,
    },
  })
  const written = { err: '' }
  child.stderr.on('data', (chunk) => {
    written.err += chunk
  })
  const ended = Promise.all([text(child.stdout), once(child, 'close')])
  return { ended: ended.then(([out]) => out), err: () => written.err }
}

describe('a command whose reader ends first', () => {
  it('ends without an error and with its own exit status', async () => {
    await using place = await signedUp()
    await place.shell.run('inbox', 'new')
    // The reader has ended before anything is written to it.
    const script = (command: string) => `exec 3> >(exec true); wait "$!"; ${command} >&3; echo "$?"`
    const listed = startScript(place, script('mayfly inbox list --json'))
    assert.deepEqual([await listed.ended, listed.err()], ['0\n', ''])
    const failed = startScript(place, script('mayfly assert --otp --timeout 0'))
    assert.deepEqual([await failed.ended, failed.err()], ['3\n', ''])
    const both = startScript(place, script('mayfly whoami --nonsense 2>&3'))
    assert.deepEqual([await both.ended, both.err()], ['2\n', ''])
  })

  it('ends when it follows events', async () => {
    await using place = await signedUp()
    const { service, shell } = place
    const address = (await shell.run('inbox', 'new')).out.trim()
    const tail = startScript(place, 'set -o pipefail; mayfly tail | head -1; echo "$?"')
    await until(async () => /Following/.exec(tail.err()))
    let isOver = false
    const ended = tail.ended.finally(() => {
      isOver = true
    })
    // The reader ends with the first event, and the command with the next one.
    await until(async () => {
      await service.sendMail({ to: address, subject: 'Hello' })
      return isOver || null
    })
    assert.equal(await ended, `message.received  ${address}  app@example.com  Hello\n0\n`)
    assert.equal(tail.err(), 'Following; Ctrl+C ends it.\n')
  })
})
