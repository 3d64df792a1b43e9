import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { registerAccountAt, type TestAccount } from '../../server/test/testing-account.ts'
import { onEachDatabase, type TestDatabase } from '../../server/test/testing-databases.ts'
import { sendMails } from '../../server/test/testing-send-mail.ts'
import { startServerProcess } from '../../server/test/testing-server-process.ts'
import { openShell, type Shell } from './testing-run-command.ts'

/** A service in a process of its own, and an operator beside it. */
type Place = {
  readonly httpUrl: string
  readonly databaseUrl: string
  readonly shell: Shell
  register(email: string): Promise<TestAccount>
  mail(to: string): Promise<string>
}

/** A place that the tests of a suite share; accounts keep them apart. */
function sharedPlace(create: () => Promise<TestDatabase>): () => Promise<Place> {
  const resources = new AsyncDisposableStack()
  let opening: Promise<Place> | null = null
  const open = async () => {
    const database = resources.use(await create())
    const env = { MAYFLY_DATABASE_URL: database.url, MAYFLY_DEFAULT_PLAN: 'key_only' }
    const { ready } = resources.use(startServerProcess({ ...env }))
    const { httpUrl, smtpPort } = await ready
    return {
      ...{ httpUrl, databaseUrl: database.url },
      shell: resources.use(await openShell({ env })),
      register: (email: string) => registerAccountAt(httpUrl, email),
      mail: async (to: string) => {
        const [answer] = await sendMails(smtpPort, [{ to }])
        return answer?.mail ?? answer?.recipients[0] ?? ''
      },
    }
  }
  after(() => resources.disposeAsync())
  return () => {
    opening ??= open()
    return opening
  }
}

async function must(shell: Shell, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await shell.run('admin', ...args)
  assert.equal(code, 0, `admin ${args.join(' ')}: ${err}`)
  return out
}

onEachDatabase('mayfly admin, beside a running service,', (create) => {
  const place = sharedPlace(create)

  it('lists accounts and changes a plan at once', async () => {
    const { shell, register } = await place()
    const dev = await register('plan@example.com')
    const listed = await must(shell, 'accounts', '--search', 'PLAN@')
    assert.match(listed, /^email +plan /)
    assert.match(listed, /plan@example\.com +key_only .* acc_/)
    const [entry] = JSON.parse(await must(shell, 'accounts', '-s', 'plan@', '--json'))
    assert.deepEqual(
      [entry.email, entry.activeKeys, entry.isConnected],
      ['plan@example.com', 1, false],
    )

    const said = await must(shell, 'plan', 'Plan@example.com', 'connected')
    assert.equal(said, 'plan@example.com is on the plan connected.\n')
    assert.equal((await dev.account.read()).account.plan, 'connected')
    const wrong = await shell.run('admin', 'plan', 'plan@example.com', 'gold')
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /unknown plan "gold"\. Known plans: key_only, /)
    const unknown = await shell.run('admin', 'plan', 'nobody@example.com', 'connected')
    assert.deepEqual(
      [unknown.code, unknown.err],
      [1, 'mayfly: There is no account nobody@example.com.\n'],
    )
    assert.equal((await shell.run('admin', 'disconnect', 'plan@example.com')).code, 1)
  })

  it('suspends and resumes an account and an inbox', async () => {
    const { shell, register, mail } = await place()
    const dev = await register('suspended@example.com')
    const inbox = await dev.inboxes.create({ localPart: 'signup' })
    assert.match(await mail('signup@mayfly.test'), /^250 /)

    await must(shell, 'suspend', 'signup@mayfly.test', '--reason', 'abuse')
    assert.match(await mail('signup@mayfly.test'), /^550 /)
    const { state, events } = await inbox.diagnose()
    assert.equal(state, 'suspended')
    assert.ok(events.some(({ stage }) => stage === 'inbox.suspended'))
    const other = await dev.inboxes.create()
    const listed = async (query: string) => {
      const { body } = await dev.get(`/v1/inboxes${query}`)
      return body.inboxes.map(({ id }: { readonly id: string }) => id)
    }
    assert.deepEqual(await listed(''), [other.id])
    assert.deepEqual(await listed('?state=suspended'), [inbox.id])
    assert.deepEqual(await listed('?state=unexpired'), [other.id, inbox.id])
    await must(shell, 'resume', inbox.id)
    assert.deepEqual(await listed(''), [other.id, inbox.id])
    assert.match(await mail('signup@mayfly.test'), /^250 /)

    await must(shell, 'suspend', 'suspended@example.com')
    await assert.rejects(dev.account.read(), { status: 401 })
    assert.match(await mail('signup@mayfly.test'), /^550 /)
    await must(shell, 'resume', 'suspended@example.com')
    await dev.account.read()
    assert.match(await mail('signup@mayfly.test'), /^250 /)
  })

  it('revokes keys and gives a new one', async () => {
    const { shell, register } = await place()
    const dev = await register('revoked@example.com')
    await dev.keys.create({ name: 'CI' })
    assert.match(await must(shell, 'revoke-keys', 'revoked@example.com'), /2 keys were revoked/)
    await assert.rejects(dev.keys.list(), { status: 401 })
    const given = await shell.run('admin', 'give-key', 'revoked@example.com')
    assert.match(given.out, /^mf_live_\w{43}\n$/)
    assert.equal(given.err, 'Key of revoked@example.com (shown only once):\n')
    const key = given.out.trim()
    const keys = await dev.withKey(key).keys.list()
    assert.deepEqual(
      keys.map(({ role }) => role),
      ['admin'],
    )
  })

  it('purges an inbox and an account, when really meant', async () => {
    const { shell, register, mail } = await place()
    const dev = await register('purged@example.com')
    const first = await dev.inboxes.create({ localPart: 'first' })
    await dev.inboxes.create({ localPart: 'second' })
    await mail('second@mayfly.test')
    const asked = await shell.run('admin', 'purge', 'first@mayfly.test')
    assert.equal(asked.code, 2)
    assert.match(asked.err, /deletes the inbox first@mayfly\.test .* Add --yes/)
    await first.refresh()

    await must(shell, 'purge', 'first@mayfly.test', '--yes')
    await assert.rejects(first.refresh(), { status: 404 })
    assert.match(
      await must(shell, 'purge', 'purged@example.com', '--yes'),
      /was deleted with 1 inbox\./,
    )
    await assert.rejects(dev.account.read(), { status: 401 })
    assert.match(await mail('second@mayfly.test'), /^550 /)
    await register('purged@example.com')
  })

  it('shows several cells in one table, and which of them is not well', async () => {
    const { shell, httpUrl, databaseUrl, register, mail } = await place()
    const dev = await register('cells@example.com')
    await dev.inboxes.create({ localPart: 'cells' })
    await mail('cells@mayfly.test')
    const { hostname, port } = new URL(httpUrl)
    const settings = `MAYFLY_DATABASE_URL=${databaseUrl}\nMAYFLY_HTTP_HOST=${hostname}\nMAYFLY_HTTP_PORT=${port}\n`
    const [one, two] = [join(shell.home, 'c1.env'), join(shell.home, 'c2.env')]
    await writeFile(one, `MAYFLY_CELL=c1\n${settings}`)
    await writeFile(two, 'MAYFLY_CELL=c2\nMAYFLY_DATABASE_URL=sqlite:none.db\nMAYFLY_HTTP_PORT=9\n')
    const well = await must(shell, 'cells', one)
    assert.match(well, /^cell +ready +accounts +mails a day +disk +oldest retry\n/)
    assert.match(well, /^c1 +yes +[1-9]\d* +[1-9]\d* +\d+ MB +none$/m)
    const { code, out, err } = await shell.run('admin', 'cells', one, two)
    assert.equal(code, 1)
    assert.match(out, /^c2 +no answer/m)
    assert.match(err, /^c2: There is no database .*\n.*not well: c2/)
    const [row] = JSON.parse(await must(shell, 'cells', one, '--json'))
    assert.deepEqual([row.cell, row.ready, row.overview.oldestRetryMs], ['c1', 'yes', null])
  })

  it('closes an account for a move to another cell, and imports it there alone', async () => {
    const { shell, register, mail } = await place()
    const dev = await register('moved@example.com')
    await dev.inboxes.create({ localPart: 'moved' })
    const file = join(shell.home, 'moved.move')
    const unnamed = await shell.run('admin', 'account', 'export', 'moved@example.com', file)
    assert.deepEqual([unnamed.code, /--to must be/.test(unnamed.err)], [2, true])
    const args = ['account', 'export', 'moved@example.com', file, '--to', 'c2'] as const
    assert.match(await must(shell, ...args), /moved@example\.com is closed; .* has its \d+ rows\./)
    assert.equal((await dev.get('/v1/keys')).body.error.code, 'account_moving')
    assert.match(await mail('moved@mayfly.test'), /^451 /)
    const refused = await shell.run('admin', 'account', 'import', file)
    assert.deepEqual([refused.code, /for the cell "c2", and/.test(refused.err)], [1, true])
    await must(shell, 'resume', 'moved@example.com')
    await dev.account.read()
    assert.match(await mail('moved@mayfly.test'), /^250 /)
  })
})

onEachDatabase('mayfly admin, without a migrated database,', (create) => {
  it('says in one line why it cannot run', async () => {
    await using database = await create('template0')
    const cases: readonly [Record<string, string>, RegExp][] = [
      [
        { MAYFLY_DATABASE_URL: database.url },
        /^mayfly: (?:There is no database|The database has schema 0)/,
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
})
