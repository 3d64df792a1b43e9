import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import Pop3Command from 'node-pop3'
import { createMigratedSqlite } from '../testing-databases.ts'
import { openEvents } from '../testing-event-stream.ts'
import { sharedService, type TestService } from '../testing-start-service.ts'

/** Reads a mailbox with Python's own client; by TLS when it is asked to. */
const POPLIB = `
import json, poplib, ssl, sys
port, user, password, secure = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4] == "tls"
pop = poplib.POP3("127.0.0.1", port, timeout=20)
capabilities = pop.capa()
if secure:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    pop.stls(context)
pop.user(user)
pop.pass_(password)
count, size = pop.stat()
listed = [line.decode() for line in pop.list()[1]]
uids = [line.decode() for line in pop.uidl()[1]]
first = b"\\r\\n".join(pop.retr(1)[1]).decode()
top = b"\\r\\n".join(pop.top(1, 0)[1]).decode()
pop.dele(1)
left = pop.stat()[0]
pop.rset()
pop.dele(2)
pop.quit()
print(json.dumps(dict(capabilities=sorted(capabilities), count=count, size=size, listed=listed,
                      uids=uids, first=first, top=top, left=left)))
`

async function poplib(
  service: TestService,
  login: readonly [user: string, password: string, how: string],
) {
  const args = ['-c', POPLIB, String(service.pop3Port), ...login]
  const { stdout } = await promisify(execFile)('python3', args)
  return JSON.parse(stdout)
}

describe('POP3', () => {
  const env = { MAYFLY_POP3_PORT: '0', MAYFLY_SMTP_TLS: 'self-signed' }
  const shared = sharedService(createMigratedSqlite, env)

  it("is spoken by Python's poplib, in the clear and by TLS", async () => {
    const service = await shared()
    const dev = await service.register()
    for (const how of ['plain', 'tls']) {
      const inbox = await dev.inboxes.create()
      const to = inbox.emailAddress
      await service.sendMail({ to, subject: 'One', text: '.dots\r\n.\r\nand Grüße' })
      await service.sendMail({ to, subject: 'Two' })
      const user = how === 'tls' ? inbox.id : to.toUpperCase().replace('@', '+TAG@')
      const read = await poplib(service, [user, dev.key, how])
      const { messages } = await inbox.listMessages()
      assert.ok(read.capabilities.includes('UIDL') && read.capabilities.includes('STLS'))
      assert.deepEqual([read.count, read.left], [2, 1])
      // Message 2 was deleted by QUIT; the deletion of message 1 was taken back.
      assert.deepEqual(
        messages.map(({ subject }) => subject),
        ['One'],
      )
      const id = messages[0]?.id ?? ''
      assert.equal(read.uids[0], `1 ${id}`)
      const raw = Buffer.from(await inbox.readRaw(id)).toString()
      assert.equal(read.listed[0], `1 ${Buffer.byteLength(raw)}`)
      assert.equal(`${read.first}\r\n`, raw)
      assert.equal(read.top, raw.slice(0, raw.indexOf('\r\n\r\n') + 2))
    }
  })

  it('is spoken by node-pop3', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Welcome', text: 'Hello' })
    const pop3 = new Pop3Command({
      host: '127.0.0.1',
      port: service.pop3Port ?? 0,
      user: inbox.emailAddress,
      password: dev.key,
    })
    const [message] = (await inbox.listMessages()).messages
    assert.deepEqual(await pop3.UIDL(), [['1', message?.id]])
    assert.match(await pop3.RETR(1), /Subject: Welcome\r\n\r\nHello/)
    assert.match(await pop3.TOP(1, 0), /Subject: Welcome/)
    await pop3.command('DELE', 1)
    await pop3.QUIT()
    assert.equal((await inbox.refresh()).messageCount, 0)
  })

  it('reads a large message, and refuses wrong names and passwords alike', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const inbox = await dev.inboxes.create()
    const text = `${'x'.repeat(70)}\r\n`.repeat(60_000)
    await service.sendMail({ to: inbox.emailAddress, subject: 'Large', text })
    const login = (user: string, password: string) => ({
      ...{ host: '127.0.0.1', port: service.pop3Port ?? 0, user, password },
    })
    const pop3 = new Pop3Command(login(inbox.id, dev.key))
    const received = await pop3.RETR(1)
    assert.ok(received.includes(text.trimEnd()))
    await pop3.QUIT()
    const refusals: string[] = []
    for (const [user, password] of [
      [inbox.emailAddress, 'mf_live_wrong'],
      [inbox.emailAddress, other.key],
      ['inb_unknown', dev.key],
      ['nobody@mayfly.test', dev.key],
      [inbox.emailAddress, ''],
    ] as const) {
      const refused = new Pop3Command(login(user, password))
      // It stays connected, and emits the server's last word as an error.
      refused.on('error', () => undefined)
      await refused.UIDL().then(
        () => assert.fail('logged in'),
        (error: Error) => refusals.push(error.message),
      )
    }
    assert.deepEqual(new Set(refusals), new Set(['[AUTH] user name or password is wrong']))
  })

  it('deletes all messages of a session at once, also when some are gone', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const to = inbox.emailAddress
    for (const subject of ['One', 'Two', 'Three', 'Four']) await service.sendMail({ to, subject })
    const ids = (await inbox.listMessages()).messages.map(({ id }) => id).reverse()
    const [one = '', two = '', three = '', four = ''] = ids
    await dev.send('PATCH', `/v1/inboxes/${inbox.id}/messages/${one}`, {
      rawBody: JSON.stringify({ read: true }),
      headers: { 'content-type': 'application/json' },
    })
    const pop3 = new Pop3Command({
      ...{ host: '127.0.0.1', port: service.pop3Port ?? 0 },
      ...{ user: inbox.id, password: dev.key },
    })
    assert.equal((await pop3.UIDL()).length, 4)
    for (const number of [1, 2, 4]) await pop3.command('DELE', number)
    await dev.delete(`/v1/inboxes/${inbox.id}/messages/${two}`)
    await using events = await openEvents(dev)
    assert.match(await pop3.QUIT(), /goodbye/)
    const { data } = await events.next('message.deleted')
    assert.deepEqual([data.inboxId, data.messageIds.sort()], [inbox.id, [one, four].sort()])
    assert.deepEqual(
      (await inbox.listMessages()).messages.map(({ id }) => id),
      [three],
    )
    const left = await inbox.refresh()
    assert.deepEqual([left.messageCount, left.unreadCount], [1, 1])
  })

  it('ends with the key', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const { apiKey, key } = await dev.keys.create({ name: 'reader' })
    const socket = connect(service.pop3Port ?? 0, '127.0.0.1')
    const say = async (line: string) => {
      socket.write(`${line}\r\n`)
      return String((await once(socket, 'data'))[0])
    }
    await once(socket, 'data')
    await say(`USER ${inbox.id}`)
    assert.match(await say(`PASS ${apiKey}`), /^\+OK 1 messages/)
    await dev.keys.revoke(key.id)
    assert.match(await say('RETR 1'), /^-ERR \[SYS\/TEMP\]/)
    assert.match(await say('DELE 1'), /^\+OK/)
    assert.match(await say('QUIT'), /^-ERR \[SYS\/TEMP\] some messages were not deleted/)
    assert.equal((await inbox.refresh()).messageCount, 1)
    socket.destroy()
  })
})
