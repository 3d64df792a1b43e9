import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type ApiClient, createApiClient } from '../../server/test/testing-api-client.ts'
import { createSqlite, onEachDatabase } from '../../server/test/testing-databases.ts'
import { sendMails } from '../../server/test/testing-send-mail.ts'
import { startServerProcess } from '../../server/test/testing-server-process.ts'
import { until } from '../../server/test/testing-until.ts'
import { openShell } from './testing-run-command.ts'

type Acknowledged = { readonly inboxes: string[]; readonly mails: Map<string, number> }

/** Creates inboxes and sends mail until it is stopped, noting only what was acknowledged. */
function startLoad(api: ApiClient, smtpPort: number) {
  const done: Acknowledged = { inboxes: [], mails: new Map() }
  let isOn = true
  const work = async () => {
    while (isOn) {
      const created = await api.post('/v1/inboxes')
      assert.equal(created.status, 201, created.text)
      const { id, emailAddress } = created.body.inbox
      done.inboxes.push(id)
      const mails = Array.from({ length: 5 }, () => ({ to: emailAddress, text: 'x'.repeat(2000) }))
      const answers = await sendMails(smtpPort, mails)
      done.mails.set(id, answers.filter(({ mail }) => mail?.startsWith('250')).length)
    }
  }
  const workers = Promise.all([1, 2, 3, 4].map(work))
  return {
    done,
    stop: async () => {
      isOn = false
      await workers
    },
  }
}

describe('mayfly admin backup', () => {
  it('taken under load and restored holds everything that could be read before', async () => {
    await using database = await createSqlite()
    const env = { MAYFLY_DATABASE_URL: database.url, MAYFLY_DEFAULT_PLAN: 'unlimited' }
    await using server = startServerProcess(env)
    const { httpUrl, smtpPort } = await server.ready
    const anonymous = createApiClient(httpUrl, null)
    const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'dev@example.com' })).body
    const load = startLoad(anonymous.withKey(apiKey), smtpPort)
    await until(async () => (load.done.mails.size >= 20 ? true : null))

    const before = { inboxes: [...load.done.inboxes], mails: new Map(load.done.mails) }
    await using shell = await openShell({ env })
    const copy = join(shell.home, 'copy.db')
    const { code, out, err } = await shell.run('admin', 'backup', copy)
    assert.equal(code, 0, err)
    assert.match(out, /copy\.db: 3 accounts, \d+ inboxes, \d+ messages, [\d.]+ MB\n$/)
    const during = load.done.inboxes.length
    await until(async () => (load.done.inboxes.length > during + 5 ? true : null))
    await load.stop()
    server.child.kill('SIGKILL')
    await server.ended

    await using restored = startServerProcess({ ...env, MAYFLY_DATABASE_URL: `sqlite:${copy}` })
    const api = createApiClient((await restored.ready).httpUrl, apiKey)
    const { inboxes } = (await api.get('/v1/inboxes')).body
    const counts = new Map<string, number>(
      inboxes.map((inbox: { id: string; messageCount: number }) => [inbox.id, inbox.messageCount]),
    )
    for (const id of before.inboxes) assert.ok(counts.has(id), `${id} is not in the backup`)
    for (const [id, mails] of before.mails) assert.equal(counts.get(id), mails, id)
    // No transaction is there by half: what is counted in one is there.
    const { usage } = (await api.get('/v1/account')).body
    assert.equal(usage.inboxesThisMonth, inboxes.length)
    for (const [id, count] of counts) {
      const { messages } = (await api.get(`/v1/inboxes/${id}/messages`)).body
      assert.equal(messages.length, count, id)
    }
  })
})

onEachDatabase('mayfly admin backup', (create, name) => {
  it('does not overwrite, and leaves PostgreSQL to its own tools', async () => {
    await using database = await create()
    const env = { MAYFLY_DATABASE_URL: database.url }
    await using server = startServerProcess({ ...env })
    await server.ready
    await using shell = await openShell({ env })
    const copy = join(shell.home, 'copy.db')
    const first = await shell.run('admin', 'backup', copy, '--json')
    if (name === 'PostgreSQL') {
      assert.equal(first.code, 1)
      assert.match(first.err, /pg_dump/)
      return
    }
    const { accounts, keyPath } = JSON.parse(first.out)
    // The operator's account, and the local one of a first start on loopback.
    assert.deepEqual([accounts, keyPath], [2, `${copy}.key`])
    const second = await shell.run('admin', 'backup', copy)
    assert.equal(second.code, 1)
    assert.match(second.err, /copy\.db exists\. Choose another name/)
    const absent = await shell.run('admin', 'backup', '/nowhere/copy.db')
    assert.equal(absent.code, 1)
    assert.equal(absent.err, 'mayfly: There is no folder /nowhere. Create it.\n')
  })
})
