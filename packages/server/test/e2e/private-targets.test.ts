import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { readService } from '@mayfly/client/internal'
import { accountWithKey, type TestAccount } from '../testing-account.ts'
import { createSqlite } from '../testing-databases.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { startTcpServer } from '../testing-tcp-server.ts'
import { until } from '../testing-until.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

/** Calls as the user of this machine. */
async function localAccount({ httpUrl }: TestService): Promise<TestAccount> {
  const { localKeyFile } = await readService({ baseUrl: httpUrl })
  return accountWithKey(httpUrl, (await readFile(String(localKeyFile), 'utf8')).trim())
}

/** The result of `linkResponds` for a mail with this link. */
async function checkLink(service: TestService, account: TestAccount, url: string) {
  const inbox = await account.inboxes.create()
  await service.sendMail({ to: inbox.emailAddress, text: `Open ${url} now` })
  const { results } = await inbox.check([{ type: 'linkResponds' }])
  return results[0]
}

describe('private targets', () => {
  it('are reached by link checks of the local account alone', async () => {
    await using site = await startTcpServer({ answer: OK })
    await using service = await startService({ hasLocalAccount: true })
    const url = `http://127.0.0.1:${site.port}/verify`
    const local = await checkLink(service, await localAccount(service), url)
    assert.equal(local?.passed, true, String(local?.detail))
    const other = await checkLink(service, await service.register(), url)
    assert.equal(other?.passed, false)
    assert.match(String(other?.detail), /MAYFLY_ALLOW_PRIVATE_NETWORK/)
    assert.equal(site.connections(), 1)
  })

  it('receive webhooks of the local account, also without TLS', async () => {
    await using receiver = await startTcpServer({ answer: OK })
    await using service = await startService({ hasLocalAccount: true })
    const local = await localAccount(service)
    const { webhook } = await local.webhooks.create(`http://127.0.0.1:${receiver.port}/hook`)
    assert.equal((await local.webhooks.test(webhook.id)).delivered, true)
    const inbox = await local.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hello' })
    const delivery = await until(async () => {
      const { deliveries } = await local.webhooks.deliveries()
      return deliveries.find(({ status }) => status !== 'pending') ?? null
    })
    assert.equal(delivery.status, 'succeeded')
    assert.equal((await local.webhooks.replay(delivery.id)).replayed, true)
    assert.equal(receiver.connections(), 3)
  })

  it('without TLS are refused to other accounts, and off this machine to all', async () => {
    await using service = await startService({ hasLocalAccount: true })
    const local = await localAccount(service)
    const other = await service.register()
    const refusal = async (account: TestAccount, url: string) => {
      const { status, body } = await account.post('/v1/webhooks', { url })
      return `${status} ${body.error?.code} ${body.error?.message}`
    }
    const onlyLocal = /^400 invalid_parameter url: must be an https:.* only for the local account/
    for (const host of ['127.0.0.1', 'localhost:8026', '[::1]:8026', '127.1.2.3']) {
      assert.match(await refusal(other, `http://${host}/`), onlyLocal)
    }
    for (const host of [
      'example.com',
      '10.0.0.1',
      '127.0.0.1.example.com',
      'localhost.example.com',
      '127.1',
      '0.0.0.0',
    ]) {
      const message = '400 invalid_parameter url: must be an https:// URL'
      assert.equal(await refusal(local, `http://${host}/`), message, host)
    }
    assert.match(await refusal(local, 'http://localhost:1@example.com/'), /user or a password/)
  })

  it('are refused to the local account on another address', async () => {
    await using database = await createSqlite()
    let key = ''
    {
      await using service = await startService({ database, hasLocalAccount: true })
      key = (await localAccount(service)).key
    }
    const env = { MAYFLY_HTTP_HOST: '0.0.0.0' }
    await using service = await startService({ database, hasLocalAccount: true, env })
    const local = accountWithKey(service.httpUrl.replace('0.0.0.0', '127.0.0.1'), key)
    const { status } = await local.post('/v1/webhooks', { url: 'http://127.0.0.1:9/' })
    assert.equal(status, 400)
    await using site = await startTcpServer({ answer: OK })
    const checked = await checkLink(service, local, `http://127.0.0.1:${site.port}/`)
    assert.equal(checked?.passed, false)
    assert.equal(site.connections(), 0)
  })
})
