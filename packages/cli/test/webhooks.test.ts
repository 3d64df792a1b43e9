import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freePort } from '../../server/test/testing-free-port.ts'
import { createReceivers } from '../../server/test/testing-receiver.ts'
import { startService } from '../../server/test/testing-start-service.ts'
import { until } from '../../server/test/testing-until.ts'
import { openShell } from './testing-run-command.ts'
import { signedUp } from './testing-signed-up.ts'

describe('mayfly webhooks new', () => {
  it('prints the secret alone on standard output', async () => {
    await using place = await signedUp()
    const made = await place.shell.run('webhooks', 'new', 'https://app.example/hooks/mail')
    assert.match(made.out, /^whsec_\S+\n$/)
    assert.match(made.err, /^Registered as whk_\w+\.\nSecret \(shown only once\):\n$/)
  })

  it('makes the only endpoint the one that is tested', async () => {
    await using place = await signedUp()
    const test = () => place.shell.run('webhooks', 'test')
    const add = (path: string) => place.shell.run('webhooks', 'new', `https://127.0.0.1:9${path}`)
    assert.match((await test()).err, /there is no endpoint: register one first/)
    await add('/one')
    assert.equal((await test()).code, 1, 'nothing answers there')
    await add('/two')
    const several = await test()
    assert.equal(several.code, 2)
    assert.match(several.err, /there are several: name one of/)
  })
})

describe('mayfly webhooks listen', () => {
  it('registers itself, prints what the service sends, and goes again', async () => {
    await using receivers = await createReceivers()
    await using place = await signedUp({ env: receivers.env })
    const { shell, service } = place
    const certificate = receivers.authority.issue(['127.0.0.1'])
    const [cert, key] = [join(shell.home, 'cert.pem'), join(shell.home, 'key.pem')]
    await writeFile(cert, certificate.cert)
    await writeFile(key, certificate.key)
    await shell.run('inbox', 'new', '--local-part', 'qa')

    const port = String(await freePort())
    const listening = shell.start(
      ...['webhooks', 'listen', '--public', `https://127.0.0.1:${port}/hook`, '--port', port],
      ...['--tls-cert', cert, '--tls-key', key, '--count', '1'],
    )
    await until(async () => /Listening at https:/.exec(listening.err()))
    const [webhook] = JSON.parse((await shell.run('webhooks', 'list', '--json')).out)
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'Hello\x1b[2J' })
    const { code, out, err } = await listening.outcome
    assert.equal(code, 0, err)
    assert.match(out, /^verified {2}evt_\w+ {2}message\.received to qa@mayfly\.test: Hello/)
    assert.ok(!out.includes('\x1b'))
    assert.deepEqual(JSON.parse((await shell.run('webhooks', 'list', '--json')).out), [])
    assert.match((await shell.run('webhooks', 'deliveries')).out, /succeeded +204 +https:/)
    assert.equal((await shell.run('webhooks', 'rm', webhook.id)).code, 1)
  })

  it('receives on the same machine without a tunnel or TLS, for the local account', async () => {
    await using service = await startService({ hasLocalAccount: true })
    await using shell = await openShell({ env: { MAYFLY_BASE_URL: service.httpUrl } })
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const listening = shell.start('webhooks', 'listen', '--port', '0', '--count', '1')
    await until(async () => /Listening at http:/.exec(listening.err()))
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'Hello' })
    const { code, out, err } = await listening.outcome
    assert.equal(code, 0, err)
    assert.match(out, /^verified {2}evt_\w+ {2}message\.received to qa@mayfly\.test: Hello/)
    assert.deepEqual(JSON.parse((await shell.run('webhooks', 'list', '--json')).out), [])
  })

  it('deletes its webhook when nobody reads its output any more', async () => {
    await using service = await startService({ hasLocalAccount: true })
    await using shell = await openShell({ env: { MAYFLY_BASE_URL: service.httpUrl } })
    const listening = shell.start('webhooks', 'listen', '--port', '0')
    await until(async () => /Listening at http:/.exec(listening.err()))
    listening.closeOutput()
    assert.equal((await listening.outcome).code, 0)
    assert.deepEqual(JSON.parse((await shell.run('webhooks', 'list', '--json')).out), [])
  })

  it('says that other accounts need a public URL', async () => {
    await using place = await signedUp()
    const { code, err } = await place.shell.run('webhooks', 'listen', '--port', '0')
    assert.equal(code, 2)
    assert.match(err, /^mayfly: only the local account .* Give --public with an https:\/\/ URL/)
  })

  it('refuses what is not signed, and tells a repeat', async () => {
    await using shell = await openShell()
    const secret = 'whsec_c2VjcmV0'
    const listening = shell.start('webhooks', 'listen', '--secret', secret, '--port', '0')
    const [url] = await until(async () => /http:\S+/.exec(listening.err()))
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'message.received',
      data: { inbox: { emailAddress: 'qa@mayfly.test' }, message: { subject: null }, otp: null },
    })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
    const headers = {
      'x-service-timestamp': timestamp,
      'x-service-signature-version': 'v1',
      'x-service-signature': signature,
    }
    const post = async (text: string) =>
      (await fetch(url, { method: 'POST', headers, body: text })).status
    assert.deepEqual(
      [await post(body), await post(`${body} `), await post(body), (await fetch(url)).status],
      [204, 400, 204, 405],
    )
    listening.interrupt()
    const { code, out } = await listening.outcome
    assert.equal(code, 0)
    const lines = out.trim().split('\n')
    assert.match(lines[0] ?? '', /^verified {2}evt_1 {2}message\.received to qa@mayfly\.test: \(no/)
    assert.match(lines[1] ?? '', /^REFUSED {2}The signature does not match/)
    assert.match(lines[2] ?? '', /^verified {2}evt_1 \(again\)/)
    assert.match(lines[3] ?? '', /^REFUSED {2}a GET, not a POST/)
  })
})
