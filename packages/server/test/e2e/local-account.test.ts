import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { readService, signIn } from '@mayfly/client/internal'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { createSqlite, type TestDatabase } from '../testing-databases.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

/** Starts the server as a process, calls `work` with its URL, and stops it. */
async function withServer(
  database: TestDatabase,
  work: (url: string) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using server = startServerProcess({
    MAYFLY_DATABASE_URL: database.url,
    ...env,
  })
  const { httpUrl } = await server.ready
  // A listener on every address is reached by loopback, too.
  await work(httpUrl.replace('0.0.0.0', '127.0.0.1'))
  server.child.kill('SIGTERM')
  await server.ended
}

describe('the local account', () => {
  it('is made at the first start on a loopback address, without limits', async () => {
    await using database = await createSqlite()
    let key = ''
    let keyFile = ''
    await withServer(database, async (url) => {
      const { localKeyFile, smtp, version } = await readService({ baseUrl: url })
      assert.equal(smtp.host, '127.0.0.1')
      assert.ok(smtp.port > 0)
      assert.match(version, /^\d+\.\d+\.\d+/)
      assert.ok(localKeyFile)
      keyFile = localKeyFile
      key = (await readFile(localKeyFile, 'utf8')).trim()
      assert.equal((await stat(localKeyFile)).mode & 0o777, 0o600)
      const { account, limits } = await accountWithKey(url, key).account.read()
      assert.deepEqual([account.email, account.plan], ['local@mayfly.test', 'unlimited'])
      assert.equal(limits.requestsPerMinute, null)
    })
    // As a copy or a backup may have left it.
    await chmod(keyFile, 0o644)
    await withServer(database, async (url) => {
      const { localKeyFile } = await readService({ baseUrl: url })
      assert.equal((await stat(keyFile)).mode & 0o777, 0o600)
      assert.equal((await readFile(String(localKeyFile), 'utf8')).trim(), key, 'the key is kept')
    })
    await writeFile(keyFile, 'mf_live_unknown\n')
    await chmod(keyFile, 0o644)
    await withServer(database, async (url) => {
      assert.equal((await stat(keyFile)).mode & 0o777, 0o600)
      key = (await readFile(keyFile, 'utf8')).trim()
      await accountWithKey(url, key).account.read()
    })
  })

  it('is entered by a link that the start prints, once', async () => {
    await using database = await createSqlite()
    const env = { MAYFLY_DATABASE_URL: database.url }
    await using server = startServerProcess(env)
    const { httpUrl: baseUrl } = await server.ready
    const line = await until(
      async () => /"signInLink":"([^"]+)"/.exec(server.output())?.[1] ?? null,
    )
    const link = new URL(line)
    assert.equal(link.origin, baseUrl)
    const token = link.hash.slice(1)
    const { apiKey, key } = await signIn({ baseUrl, token })
    assert.equal(key.name, 'dashboard')
    const { account } = await accountWithKey(baseUrl, apiKey).account.read()
    assert.equal(account.email, 'local@mayfly.test')
    await assert.rejects(signIn({ baseUrl, token }), { code: 'invalid_sign_in_token' })
  })

  it('is not made on another address', async () => {
    await using database = await createSqlite()
    await withServer(
      database,
      async (url) => assert.equal((await readService({ baseUrl: url })).localKeyFile, null),
      { MAYFLY_HTTP_HOST: '0.0.0.0' },
    )
  })

  it('is not made where accounts exist', async () => {
    await using database = await createSqlite()
    const open = { MAYFLY_HTTP_HOST: '0.0.0.0' }
    const register = async (url: string) => {
      await registerAccountAt(url)
    }
    await withServer(database, register, open)
    await withServer(database, async (url) => {
      assert.equal((await readService({ baseUrl: url })).localKeyFile, null)
    })
  })
})
