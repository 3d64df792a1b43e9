import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type ApiClient, createApiClient } from '../../server/test/testing-api-client.ts'
import { onEachDatabase, type TestDatabase } from '../../server/test/testing-databases.ts'
import { sendMails } from '../../server/test/testing-send-mail.ts'
import { startServerProcess } from '../../server/test/testing-server-process.ts'
import { openShell, type Shell } from './testing-run-command.ts'

type Place = AsyncDisposable & {
  readonly shell: Shell
  readonly dev: ApiClient
  mail(to: string): Promise<string>
}

/** A service in a process of its own, an account, and an operator beside it. */
async function openPlace(database: TestDatabase): Promise<Place> {
  const env = { MAYFLY_DATABASE_URL: database.url, MAYFLY_DEFAULT_PLAN: 'key_only' }
  const server = startServerProcess(env)
  const { httpUrl, smtpPort } = await server.ready
  const shell = await openShell({ env })
  const anonymous = createApiClient(httpUrl, null)
  const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'dev@example.com' })).body
  return {
    shell,
    dev: anonymous.withKey(apiKey),
    mail: async (to) => {
      const [answer] = await sendMails(smtpPort, [{ to }])
      return answer?.mail ?? answer?.recipients[0] ?? ''
    },
    [Symbol.asyncDispose]: async () => {
      await shell[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function must(shell: Shell, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await shell.run('admin', ...args)
  assert.equal(code, 0, `admin ${args.join(' ')}: ${err}`)
  return out
}

onEachDatabase('mayfly admin, beside a running service,', (create) => {
  it('lists accounts and changes a plan at once', async () => {
    await using database = await create()
    await using place = await openPlace(database)
    const { shell, dev } = place
    const listed = await must(shell, 'accounts', '--search', 'DEV@')
    assert.match(listed, /^email +plan /)
    assert.match(listed, /dev@example\.com +key_only .* acc_/)
    const [entry] = JSON.parse(await must(shell, 'accounts', '-s', 'dev', '--json'))
    assert.deepEqual(
      [entry.email, entry.activeKeys, entry.isConnected],
      ['dev@example.com', 1, false],
    )

    const said = await must(shell, 'plan', 'Dev@example.com', 'connected')
    assert.equal(said, 'dev@example.com is on the plan connected.\n')
    assert.equal((await dev.get('/v1/account')).body.account.plan, 'connected')
    const wrong = await shell.run('admin', 'plan', 'dev@example.com', 'gold')
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /unknown plan "gold"\. Known plans: key_only, /)
    const unknown = await shell.run('admin', 'plan', 'nobody@example.com', 'connected')
    assert.deepEqual(
      [unknown.code, unknown.err],
      [1, 'mayfly: There is no account nobody@example.com.\n'],
    )
    assert.equal((await shell.run('admin', 'disconnect', 'dev@example.com')).code, 1)
  })

  it('suspends and resumes an account and an inbox', async () => {
    await using database = await create()
    await using place = await openPlace(database)
    const { shell, dev, mail } = place
    const { inbox } = (await dev.post('/v1/inboxes', { localPart: 'signup' })).body
    assert.match(await mail('signup@mayfly.test'), /^250 /)

    await must(shell, 'suspend', 'signup@mayfly.test', '--reason', 'abuse')
    assert.match(await mail('signup@mayfly.test'), /^550 /)
    const { state, events } = (await dev.get(`/v1/inboxes/${inbox.id}/diagnostics`)).body
    assert.equal(state, 'suspended')
    assert.ok(events.some((event: { stage: string }) => event.stage === 'inbox.suspended'))
    await must(shell, 'resume', inbox.id)
    assert.match(await mail('signup@mayfly.test'), /^250 /)

    await must(shell, 'suspend', 'dev@example.com')
    assert.equal((await dev.get('/v1/account')).status, 401)
    assert.match(await mail('signup@mayfly.test'), /^550 /)
    await must(shell, 'resume', 'dev@example.com')
    assert.equal((await dev.get('/v1/account')).status, 200)
    assert.match(await mail('signup@mayfly.test'), /^250 /)
  })

  it('revokes keys and gives a new one', async () => {
    await using database = await create()
    await using place = await openPlace(database)
    const { shell, dev } = place
    await dev.post('/v1/keys', { name: 'CI' })
    assert.match(await must(shell, 'revoke-keys', 'dev@example.com'), /2 keys were revoked/)
    assert.equal((await dev.get('/v1/keys')).status, 401)
    const key = /mf_live_\w{43}/.exec(await must(shell, 'give-key', 'dev@example.com'))?.[0] ?? ''
    const { body } = await dev.withKey(key).get('/v1/keys')
    assert.deepEqual(
      body.keys.map((one: { role: string }) => one.role),
      ['admin'],
    )
  })

  it('purges an inbox and an account, when really meant', async () => {
    await using database = await create()
    await using place = await openPlace(database)
    const { shell, dev, mail } = place
    const first = (await dev.post('/v1/inboxes', { localPart: 'first' })).body.inbox
    await dev.post('/v1/inboxes', { localPart: 'second' })
    await mail('second@mayfly.test')
    const asked = await shell.run('admin', 'purge', 'first@mayfly.test')
    assert.equal(asked.code, 2)
    assert.match(asked.err, /deletes the inbox first@mayfly\.test .* Add --yes/)
    assert.equal((await dev.get(`/v1/inboxes/${first.id}`)).status, 200)

    await must(shell, 'purge', 'first@mayfly.test', '--yes')
    assert.equal((await dev.get(`/v1/inboxes/${first.id}`)).status, 404)
    assert.match(
      await must(shell, 'purge', 'dev@example.com', '--yes'),
      /was deleted with 1 inbox\./,
    )
    assert.equal((await dev.get('/v1/account')).status, 401)
    assert.match(await mail('second@mayfly.test'), /^550 /)
    const again = await dev.post('/v1/accounts', { email: 'dev@example.com' })
    assert.equal(again.status, 201)
  })
})

onEachDatabase(
  'mayfly admin, without a migrated database,',
  (create) => {
    it('says in one line why it cannot run', async () => {
      await using database = await create()
      const cases: readonly [Record<string, string>, RegExp][] = [
        [
          { MAYFLY_DATABASE_URL: database.url },
          /^mayfly: (?:There is no store|The database has schema 0)/,
        ],
        [{ MAYFLY_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, /^mayfly: .*MAYFLY_DATABASE_URL/],
        [{ MAYFLY_DOMIANS: 'x' }, /^mayfly: MAYFLY_DOMIANS is not a setting\. Did you mean/],
      ]
      for (const [env, message] of cases) {
        await using shell = await openShell({ env })
        const { code, err } = await shell.run('admin', 'accounts')
        assert.equal(code, 1)
        assert.match(err, message)
        assert.equal(err.trim().split('\n').length, 1)
      }
    })
  },
  'template0',
)
