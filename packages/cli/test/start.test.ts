import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createClient } from '@mayfly/client'
import { readService } from '@mayfly/client/internal'
import { sendMails } from '../../server/test/testing-send-mail.ts'
import { startService } from '../../server/test/testing-start-service.ts'
import { startMayfly } from '../src/start.ts'
import { commandOf } from '../src/start-command.ts'

describe('startMayfly', { timeout: 60_000 }, () => {
  it('starts the package, and stops it without a trace', async () => {
    const mayfly = await startMayfly({ settings: { MAYFLY_DOMAINS: 'app.test' } })
    const inbox = await createClient(mayfly).inboxes.create()
    assert.match(inbox.emailAddress, /@app\.test$/)
    await sendMails(mayfly.smtp.port, [{ to: inbox.emailAddress, text: 'Your code is 481516.' }])
    assert.equal((await inbox.waitForOtp()).value, '481516')
    const { localKeyFile } = await readService({ baseUrl: mayfly.baseUrl })
    assert.ok(localKeyFile !== null && existsSync(localKeyFile))
    await mayfly.stop()
    assert.equal(existsSync(localKeyFile), false)
    await assert.rejects(fetch(mayfly.baseUrl))
  })

  it('takes the executable that is named, or that an old Node finds on the path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-path-'))
    const executable = join(folder, 'mayfly')
    await writeFile(executable, '')
    const execPath = '/bin/node'
    const host = (node: string, env: Record<string, string>) =>
      commandOf({}, { env, execPath, versions: { ...process.versions, node } })
    const PATH = `/nowhere:/app/node_modules/.bin:${folder}`
    try {
      assert.deepEqual(host('22.20.0', { PATH }), [executable])
      assert.equal(host('24.8.0', { PATH })[0], execPath)
      assert.equal(host('22.20.0', { PATH: join(folder, 'node_modules', '.bin') })[0], execPath)
      assert.deepEqual(host('24.8.0', { PATH, MAYFLY_EXECUTABLE: '/opt/m' }), ['/opt/m'])
      const env = { MAYFLY_EXECUTABLE: '/opt/m' }
      assert.deepEqual(commandOf({ executable: './m' }, { ...process, execPath, env }), ['./m'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('says why the service did not start', async () => {
    const settings = { MAYFLY_HTTP_HOSTT: 'x' }
    await assert.rejects(startMayfly({ settings }), /did not start: it exited with 1\n.*HOSTT/)
    await assert.rejects(startMayfly({ executable: '/nowhere/mayfly' }), /ENOENT/)
  })

  it('starts an image by the program that runs images', async () => {
    await using service = await startService()
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-runtime-'))
    try {
      // In place of docker: writes down how it was called, and answers for the service above.
      const runtime = join(folder, 'docker')
      const { port } = new URL(service.httpUrl)
      const program = `#!/bin/sh
echo "$@" >> ${folder}/calls
case "$1 $3" in
  run*) echo abc ;;
  "port 8025/tcp") echo 127.0.0.1:${port} ;;
  "port 1025/tcp") echo 127.0.0.1:${service.smtpPort} ;;
esac
`
      await writeFile(runtime, program)
      await chmod(runtime, 0o755)
      {
        await using mayfly = await startMayfly({ image: 'mayfly:1', containerRuntime: runtime })
        assert.equal(mayfly.baseUrl, service.httpUrl)
        assert.equal(mayfly.smtp.port, service.smtpPort)
        await createClient(mayfly).inboxes.create()
      }
      assert.deepEqual((await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n'), [
        'run --detach --rm --publish 127.0.0.1::8025 --publish 127.0.0.1::1025 --env MAYFLY_DEFAULT_PLAN=unlimited mayfly:1',
        'port abc 8025/tcp',
        'port abc 1025/tcp',
        'stop abc',
      ])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
