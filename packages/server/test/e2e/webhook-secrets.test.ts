import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import type { TestAccount } from '../testing-account.ts'
import { createMigratedSqlite, createSqlite, type TestDatabase } from '../testing-databases.ts'
import { createReceivers, type Receivers } from '../testing-receiver.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { startService } from '../testing-start-service.ts'

/** Tests a webhook on a service of its own; whether it was delivered, and the error. */
async function tryWebhook(
  at: { readonly database: TestDatabase; readonly receivers: Receivers },
  env: Readonly<Record<string, string>>,
  who: { key: string; webhookId: string },
): Promise<readonly [boolean, string | null]> {
  const { database, receivers } = at
  await using service = await startService({ database, env: { ...receivers.env, ...env } })
  const { delivered, attempt } = await service.account(who.key).webhooks.test(who.webhookId)
  return [delivered, attempt.error]
}

async function registerWebhook(dev: TestAccount, url: string) {
  const { webhook, secret } = await dev.webhooks.create(url)
  return { key: dev.key, webhookId: webhook.id, secret }
}

describe('secrets of webhooks', () => {
  it('are readable after a restart, also once a key is configured, and not with another', async () => {
    await using database = await createMigratedSqlite()
    await using receivers = await createReceivers()
    const receiver = await receivers.open()
    const at = { database, receivers }
    const who = await (async () => {
      await using service = await startService({ database, env: receivers.env })
      return await registerWebhook(await service.register(), receiver.url)
    })()
    const key = { MAYFLY_SECRET_KEY: randomBytes(32).toString('base64') }
    assert.deepEqual(await tryWebhook(at, {}, who), [true, null])
    assert.deepEqual(await tryWebhook(at, key, who), [true, null])

    const later = await (async () => {
      await using service = await startService({ database, env: { ...receivers.env, ...key } })
      return await registerWebhook(await service.register('later@example.com'), receiver.url)
    })()
    assert.deepEqual(await tryWebhook(at, key, later), [true, null])
    const other = { MAYFLY_SECRET_KEY: randomBytes(32).toString('hex') }
    const before = receiver.received.length
    assert.deepEqual(await tryWebhook(at, other, later), [false, 'secret'])
    assert.equal(receiver.received.length, before)
  })

  it('are sealed in the store', async () => {
    await using database = await createMigratedSqlite()
    const { secret, webhookId } = await (async () => {
      await using service = await startService({ database })
      return await registerWebhook(await service.register(), 'https://example.com/')
    })()
    const store = await openStore({ url: database.url, exclusive: false })
    try {
      const found = await store.dispatches.lockEndpoint(webhookId as never) // An id as it is.
      assert.match(String(found?.secretSealed), /^v1\./)
      assert.ok(!found?.secretSealed.includes(secret.slice('whsec_'.length, 20)))
    } finally {
      await store.close()
    }
  })
})

describe('the key of an embedded store', () => {
  it('is made beside it, for its owner alone', async () => {
    await using database = await createSqlite()
    const file = `${database.url.slice('sqlite:'.length)}.key`
    await (await startService({ database }))[Symbol.asyncDispose]()
    const made = await readFile(file, 'utf8')
    assert.equal(Buffer.from(made, 'base64').length, 32)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    await (await startService({ database }))[Symbol.asyncDispose]()
    assert.equal(await readFile(file, 'utf8'), made)
  })

  it('stops the start in one line when it is malformed, as the other outbound settings do', async () => {
    await using database = await createSqlite()
    const cases: readonly [string, string, RegExp][] = [
      ['MAYFLY_SECRET_KEY', 'short', /^mayfly: The secret key is not 32 bytes .*openssl rand.*$/],
      ['MAYFLY_OUTBOUND_ALLOW', '10.0.0.0/33', /^mayfly: "10\.0\.0\.0\/33" is not a CIDR .*$/],
      ['MAYFLY_EXTRA_CA', 'nowhere.pem', /^mayfly: MAYFLY_EXTRA_CA names a file that .*$/],
      ['MAYFLY_EXTRA_CA', 'package.json', /^mayfly: The extra CA holds no PEM .*$/],
    ]
    for (const [name, value, line] of cases) {
      const env = { MAYFLY_DATABASE_URL: database.url, [name]: value }
      await using server = startServerProcess(env)
      assert.equal(await server.ended, 1)
      assert.match(server.output(), line)
    }
  })
})
