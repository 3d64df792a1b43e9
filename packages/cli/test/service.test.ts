import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { signIn } from '@mayfly/client/internal'
import { startService } from '../../server/test/testing-start-service.ts'
import { openShell } from './testing-run-command.ts'
import { signedUp } from './testing-signed-up.ts'

describe('mayfly signup', () => {
  it('shows the key once and saves it in a file that only the user can read', async () => {
    await using service = await startService()
    await using shell = await openShell({ env: { MAYFLY_BASE_URL: `${service.httpUrl}/` } })
    const { code, out, err } = await shell.run('signup', 'dev@example.com', '--name', 'Dev')
    assert.equal(code, 0)
    assert.match(out, /^mf_live_\w+\n$/)
    const key = out.trim()
    const file = join(shell.home, '.config', 'mayfly', 'credentials.json')
    assert.equal(
      err,
      `dev@example.com is registered, plan unlimited.\nAPI key (shown only once):\nSaved in ${file}.\nNext: mayfly inbox new\n`,
    )
    assert.equal(JSON.parse(await readFile(file, 'utf8')).keys[service.httpUrl].apiKey, key)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const again = await shell.run('signup', 'dev@example.com')
    assert.equal(again.code, 1)
    assert.match(again.err, /^mayfly: An account with this email exists already\. \(409 /)
  })

  it('saves nothing when told so, and the next command says what is missing', async () => {
    await using service = await startService()
    await using shell = await openShell({ env: { MAYFLY_BASE_URL: service.httpUrl } })
    const { out } = await shell.run('signup', 'dev@example.com', '--no-save', '--json')
    const { apiKey } = JSON.parse(out)
    const without = await shell.run('inbox', 'list')
    assert.equal(without.code, 1)
    assert.match(without.err, /there is no API key for http.*`mayfly signup you@example\.com`/)
    assert.equal((await shell.run('inbox', 'list', '--api-key', apiKey)).code, 0)
  })

  it('says when no service is there', async () => {
    await using shell = await openShell()
    const { code, err } = await shell.run('signup', 'a@b.example', '--url', 'http://127.0.0.1:9')
    assert.equal(code, 1)
    assert.match(err, /^mayfly: Mayfly at http:\/\/127\.0\.0\.1:9 cannot be reached: /)
    const listed = await shell.run('inbox', 'list', '--url', 'http://127.0.0.1:9')
    assert.match(listed.err, /^mayfly: Mayfly at http:\/\/127\.0\.0\.1:9 cannot be reached: /)
  })
})

describe('mayfly inbox', () => {
  it('says when an idempotency key has made no new inbox', async () => {
    await using place = await signedUp()
    const create = (...more: string[]) =>
      place.shell.run('inbox', 'new', '--idempotency-key', 'run-1', ...more)
    const first = await create('--local-part', 'one')
    assert.deepEqual([first.out, first.err], ['one@mayfly.test\n', ''])
    const second = await create('--local-part', 'two')
    assert.equal(second.out, 'one@mayfly.test\n')
    assert.match(second.err, /^No new inbox: one was created at .* with the same --idempotency-key/)
  })

  it('creates a catch-all inbox, which keeps a number of messages', async () => {
    await using place = await signedUp()
    const { shell } = place
    const made = await shell.run('inbox', 'create', '--catch-all', '--keep', '20', '--json')
    const { id, catchAll, keepMessages } = JSON.parse(made.out)
    assert.deepEqual([catchAll, keepMessages], [true, 20])
    const shown = await shell.run('inbox', 'show', id)
    assert.match(shown.out, /expires +never\nkeeps +20 messages, for any recipient/)
    assert.equal((await shell.run('inbox', 'new', '--keep', 'many')).code, 2)
  })

  it("prints a provider's base URL and key, which work", async () => {
    await using place = await signedUp()
    const { shell } = place
    const made = await shell.run('inbox', 'new', '--local-part', 'one', '--provider', 'resend')
    assert.equal(made.out, 'one@mayfly.test\n')
    const [, baseUrl, key] = /^Base URL {2}(\S+)\nKey {7}(mf_\w+)\n$/.exec(made.err) ?? []
    const sent = await fetch(`${baseUrl}emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: 'a@b.example',
        to: 'one@mayfly.test',
        subject: 'Hi',
        text: 'Hi',
      }),
    })
    assert.equal(sent.status, 200, await sent.text())
    assert.match((await shell.run('messages', 'one@mayfly.test')).out, /Hi +unread/)

    const options = ['--catch-all', '--provider', 'brevo', '--json']
    const { id, provider } = JSON.parse((await shell.run('inbox', 'new', ...options)).out)
    assert.match(provider.baseUrl, /\/providers\/brevo\/v3\/$/)
    assert.equal(provider.key, `${key}.${id}`)
    const unknown = await shell.run('inbox', 'new', '--provider', 'pigeon')
    assert.equal(unknown.code, 2)
    assert.match(unknown.err, /--provider must be one of ses, .*zeptomail, but is "pigeon"/)
  })

  it('creates, lists, shows and deletes inboxes, by id or address', async () => {
    await using place = await signedUp()
    const { shell } = place
    const made = await shell.run('inbox', 'new', '--local-part', 'Signup', '--ttl', '600')
    assert.equal(made.out, 'signup@mayfly.test\n')
    const { id } = JSON.parse((await shell.run('inbox', 'new', '--json')).out)
    const listed = JSON.parse((await shell.run('inbox', 'list', '--json')).out)
    assert.equal(listed[0].id, id)
    assert.match((await shell.run('inbox', 'list')).out, /^address +messages +expires +id\n/)
    const all = await shell.run('inbox', 'list', '--all')
    assert.match(all.out, /^address +state +messages .*\n\S+ +active +0 /)
    assert.match((await shell.run('inbox', 'show')).out, new RegExp(`^id +${id}$`, 'm'))
    const gone = await shell.run('inbox', 'rm', id, 'SIGNUP@mayfly.test')
    assert.equal(gone.out.split('\n')[1], 'signup@mayfly.test was deleted.')
    assert.equal((await shell.run('inbox', 'rm', id)).code, 1)
    assert.equal((await shell.run('inbox', 'rm')).code, 2)
    assert.equal((await shell.run('inbox', 'rm', id, '--all')).code, 2)
    await shell.run('inbox', 'new')
    const kept = (await shell.run('inbox', 'new', '--catch-all')).out
    const removed = await shell.run('inbox', 'rm', '--all')
    assert.match(removed.out, /^\S+@mayfly\.test was deleted\.\n$/)
    await shell.run('inbox', 'rm', kept.trim())
    const none = await shell.run('inbox', 'show')
    assert.match(none.err, /you have no active inbox\. Create one: mayfly inbox new/)
  })

  it('lists, marks and deletes messages', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    const { id, emailAddress } = JSON.parse((await shell.run('inbox', 'new', '--json')).out)
    for (const subject of ['one', 'two']) await service.sendMail({ to: emailAddress, subject })
    const list = async () => JSON.parse((await shell.run('messages', id, '--json')).out).messages
    const [two, one] = await list()
    assert.match((await shell.run('messages')).out, /two +unread +msg_/)
    assert.equal((await shell.run('messages', 'mark', one.id)).code, 0)
    assert.deepEqual([two.read, (await list())[1].read], [false, true])
    await shell.run('messages', 'mark', one.id, '--unread', '--inbox', id)
    assert.equal((await list())[1].read, false)

    const newer = (await shell.run('inbox', 'new')).out.trim()
    for (const command of [['show'], ['show', '--raw'], ['messages', 'mark'], ['messages', 'rm']]) {
      const { code, err } = await shell.run(...command, one.id)
      assert.equal(code, 1)
      const told = `mayfly: the newest inbox, ${newer}, has no such message. Name its inbox: --inbox INBOX\n`
      assert.equal(err, told)
    }
    await shell.run('inbox', 'rm', newer)

    assert.equal((await shell.run('messages', 'rm')).code, 2)
    assert.equal((await shell.run('messages', 'rm', one.id)).out, `${one.id} was deleted.\n`)
    assert.equal((await shell.run('messages', 'rm', one.id)).code, 1)
    assert.deepEqual(await list(), [two])
    assert.match((await shell.run('messages', 'rm', '--all')).out, /^All messages of /)
    assert.deepEqual(await list(), [])
    assert.match((await shell.run('messages', '--help')).out, /^ {2}rm +delete messages/m)
  })

  it('hands the rules of the service on', async () => {
    await using place = await signedUp()
    const { code, err } = await place.shell.run('inbox', 'new', '--ttl', '5')
    assert.equal(code, 2)
    assert.match(err, /ttlSeconds: must be at least 600/)
  })
})

describe('mayfly send, messages and open', () => {
  it('carry a mail with its parts from one end to the other', async () => {
    await using place = await signedUp()
    const { shell } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const file = join(shell.home, 'Übersicht (1).txt')
    await writeFile(file, '.dot\nend')
    const subject = 'Grüße an die Prüferinnen und Prüfer: 日本語の件名です、長いですよ'
    const sent = await shell.run(
      ...['send', '--template', 'otp', '--set', 'code=481516', '--subject', subject],
      ...['--attach', file, '--from', 'Jürgen "J" <j@example.com>'],
    )
    assert.match(sent.out, /^Sent to qa@mayfly\.test: 250 /)

    const listed = (await shell.run('messages')).out
    assert.match(listed, /j@example\.com +Grüße an die Prüferinnen.*… /)
    const message = JSON.parse((await shell.run('show', '--json')).out)
    assert.equal(message.subject, subject)
    assert.deepEqual(message.from, { name: 'Jürgen "J"', address: 'j@example.com' })
    assert.match(message.text, /verification code is 481516\./)
    assert.match(message.html, /<b>481516<\/b>/)
    assert.equal(message.attachments[0].filename, 'Übersicht (1).txt')
    const shown = (await shell.run('show', message.id, '--inbox', 'qa@mayfly.test')).out
    assert.match(shown, /^From +Jürgen "J" <j@example\.com>\nTo +qa@mayfly\.test\n/)
    assert.match(shown, /^Attached +Übersicht \(1\)\.txt \(text\/plain, \d+ bytes\)$/m)
    const raw = (await shell.run('show', '--raw')).out
    assert.match(raw, /\r\nSubject: =\?UTF-8\?[BQ]\?/)
  })

  it('send an .eml unchanged but for its line ends', async () => {
    await using place = await signedUp()
    const { shell } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const file = join(shell.home, 'mail.eml')
    const lines = ['Subject: As it is', '', '.', '..', '.dot', '\u00ff', '', '.']
    for (const end of ['\n', '\r\n', '\r']) {
      await writeFile(file, lines.join(end), 'latin1')
      assert.equal((await shell.run('send', 'qa@mayfly.test', '--eml', file)).code, 0)
      const raw = (await shell.run('show', '--raw')).out
      assert.ok(raw.endsWith(`\r\n${lines.join('\r\n')}\r\n`), JSON.stringify(raw))
    }
  })

  it('report what was refused, and what cannot be reached', async () => {
    await using place = await signedUp()
    const refused = await place.shell.run('send', 'nobody@mayfly.test')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^mayfly: the recipient nobody@mayfly\.test was refused: 550 /)
    await place.shell.run('inbox', 'new', '--local-part', 'qa')
    const partly = await place.shell.run('send', 'qa@mayfly.test', 'nobody@mayfly.test')
    assert.equal(partly.code, 1)
    assert.match(
      partly.err,
      /nobody@mayfly\.test was refused: 550 .* \(sent only to qa@mayfly\.test\)/,
    )
    const absent = await place.shell.run('send', 'qa@mayfly.test', '--attach', '/nowhere/a.pdf')
    assert.deepEqual(
      [absent.code, /a\.pdf cannot be read: there is no/.test(absent.err)],
      [2, true],
    )
    const lost = await place.shell.run('send', 'qa@mayfly.test', '--smtp', '127.0.0.1:9')
    assert.equal(lost.code, 1)
    assert.match(
      lost.err,
      /the mail server at 127\.0\.0\.1:9 cannot be reached: .*--smtp HOST:PORT/,
    )
  })

  it('end when interrupted, and when the mail server closes the connection', async () => {
    await using shell = await openShell()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    // A listening server has an address that is not a path.
    const { port } = server.address() as AddressInfo
    try {
      const args = ['send', 'qa@mayfly.test', '--smtp', `127.0.0.1:${port}`]
      const sending = shell.start(...args)
      const [silent] = await once(server, 'connection')
      sending.interrupt()
      assert.deepEqual(await sending.outcome, { code: 130, out: '', err: '' })
      silent.destroy()
      server.on('connection', (socket) => socket.end())
      const { code, err } = await shell.run(...args)
      const text = `mayfly: the mail server at 127.0.0.1:${port} closed the connection.\n`
      assert.deepEqual([code, err], [1, text])
    } finally {
      server.close()
    }
  })

  it('print no control characters of a mail on a terminal', async () => {
    await using place = await signedUp({ isTerminal: true })
    const { shell } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const file = join(shell.home, 'mail.eml')
    await writeFile(file, 'Subject: =?utf-8?B?G1sySg==?=\n\nbody \x1b]0;title\x07')
    await shell.run('send', 'qa@mayfly.test', '--eml', file)
    for (const args of [['messages'], ['show'], ['show', '--raw']]) {
      const { out } = await shell.run(...args)
      // Our own colours are the only escapes.
      assert.ok(!out.replace(/\x1b\[\d+m/g, '').includes('\x1b'), JSON.stringify(out))
      assert.ok(!out.includes('\x07'))
    }
  })
})

describe('mayfly open', () => {
  it('prints a link that signs in to the dashboard once, and opens it in a terminal', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    const link = (await shell.run('open')).out.trim()
    assert.ok(link.startsWith(`${service.httpUrl}/#token=`), link)
    const token = new URL(link).hash.slice(1)
    const { apiKey } = await signIn({ baseUrl: service.httpUrl, token })
    assert.match(apiKey, /^mf_live_/)
    const { expiresAt } = JSON.parse((await shell.run('open', '--json')).out)
    assert.ok(Date.parse(expiresAt) > Date.now())

    await using terminal = await openShell({
      isTerminal: true,
      env: { BROWSER: '/nowhere/browser', MAYFLY_API_KEY: apiKey },
    })
    const opened = await terminal.run('open', '--url', service.httpUrl)
    assert.equal(opened.code, 0)
    assert.match(opened.err, /No browser could be started \(\/nowhere\/browser\)/)
    assert.equal((await terminal.run('open', '--no-browser', '--url', service.httpUrl)).err, '')
  })
})
