import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, it } from 'node:test'
import type { CheckOptions } from '@mayfly/client'
import { sharedService, startService } from '../testing-start-service.ts'

const LOCAL = { MAYFLY_ALLOW_PRIVATE_NETWORK: 'true' }

describe('assertions', () => {
  const shared = sharedService()

  it('check a mail that arrives, every one, with a detail each', async () => {
    await using site = await startSite()
    await using service = await startService({ env: LOCAL })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const running = inbox.check(
      [
        { type: 'containsText', text: 'Welcome, Ada' },
        { type: 'containsText', text: 'welcome, ada' },
        { type: 'linkResponds' },
        { type: 'linkResponds', urlContains: '/verify' },
        { type: 'linkResponds', urlContains: '/broken' },
        { type: 'linkResponds', urlContains: '/nowhere' },
        { type: 'otpPresent' },
        { type: 'auth', check: 'spf', expect: 'temperror' },
        { type: 'auth', check: 'dkim' },
      ],
      { timeoutSeconds: 20 },
    )
    await service.sendMail({
      to: inbox.emailAddress,
      subject: 'Hello',
      text: `Welcome, Ada! ${site.url}/redirect/verify and ${site.url}/broken`,
    })
    const { arrived, passed, arrivalSeconds, message, results } = await running
    assert.equal(arrived, true)
    assert.equal(passed, false)
    assert.ok(arrivalSeconds !== null && arrivalSeconds >= 0 && arrivalSeconds < 20)
    assert.equal(message?.subject, 'Hello')
    assert.deepEqual(
      results.map((result) => result.passed),
      [true, false, true, true, false, false, false, true, false],
    )
    const details = results.map(({ detail }) => detail)
    assert.equal(details[0], 'found in the text')
    assert.match(String(details[1]), /with different capitalisation it is in the text/)
    assert.match(String(details[3]), /responded with 200/)
    assert.match(String(details[4]), /\/broken responded with 500/)
    assert.match(String(details[5]), /^no link contains \/nowhere; the mail has 2 links: /)
    assert.match(String(details[7]), /^spf is temperror/)
    assert.match(String(details[8]), /^dkim is none, expected pass/)
  })

  it('check the newest mail that matches the same texts as a wait', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const to = inbox.emailAddress
    await service.sendMail({ to, subject: 'Welcome', text: 'Your name is Ada' })
    await service.sendMail({ to, subject: 'Invoice', text: 'You owe 5' })
    const assertions = [{ type: 'containsText', text: 'Ada' }] as const
    const subjects = async (options: CheckOptions) => {
      const { passed, message } = await inbox.check(assertions, { ...options, timeoutSeconds: 0 })
      return [passed, message?.subject]
    }
    assert.deepEqual(await subjects({}), [false, 'Invoice'])
    assert.deepEqual(await subjects({ subject: 'welcome' }), [true, 'Welcome'])
    assert.deepEqual(await subjects({ text: 'NAME is' }), [true, 'Welcome'])
    assert.deepEqual(await subjects({ from: 'nobody' }), [false, undefined])
    const { body } = await dev.post(`/v1/inboxes/${inbox.id}/assert`, { assertions, subject: 'x' })
    assert.match(body.error.message, /unknown field "subject"; did you mean "subjectContains"\?/)
  })

  it('fail each with the reason when nothing arrives', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const { status, body } = await dev.post(`/v1/inboxes/${inbox.id}/assert`, {
      timeoutSeconds: 0,
      assertions: [{ type: 'otpPresent' }, { type: 'linkResponds' }],
    })
    assert.equal(status, 200)
    assert.deepEqual(
      { ...body, results: body.results.map((one: { passed: boolean }) => one.passed) },
      {
        passed: false,
        arrived: false,
        arrivalSeconds: null,
        results: [false, false],
        message: null,
      },
    )
    assert.match(
      body.results[0].detail,
      /^no message arrived in time\. No mail client has connected/,
    )
  })

  it('are refused when they are written wrong, by index and rule', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const ok = { type: 'otpPresent' }
    const cases: readonly [unknown, RegExp][] = [
      [[], /assertions: must have at least 1 item/],
      [Array(21).fill(ok), /assertions: must have at most 20 items/],
      [[ok, { type: 'smells' }], /assertions\.1.*must have a type/],
      [[{ type: 'containsText' }], /assertions\.0\.text: is required/],
      [[{ type: 'auth' }], /assertions\.0\.check: must be "spf" or "dkim" or "dmarc"/],
      [[{ type: 'otpPresent', txt: 'x' }], /assertions\.0: unknown field "txt"/],
      ['x', /assertions: must be an array/],
    ]
    for (const [assertions, message] of cases) {
      for (const [path, body] of [
        [`/v1/inboxes/${inbox.id}/assert`, { assertions }],
        ['/v1/scenarios', { name: 's', assertions }],
      ] as const) {
        const answer = await dev.post(path, body)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.body.error.message, message)
      }
    }
  })

  it('stop fetching links when the client has gone', async () => {
    await using service = await startService({ env: LOCAL })
    const requested: string[] = []
    const arrived = Promise.withResolvers<Socket>()
    const site = createServer(({ url, socket }) => {
      requested.push(String(url))
      arrived.resolve(socket)
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    await using _site = { [Symbol.asyncDispose]: async () => void site.close() }
    // The type of `address` allows pipes; this is a TCP server.
    const { port } = site.address() as AddressInfo
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const links = [1, 2, 3].map((number) => `http://127.0.0.1:${port}/${number}`)
    await service.sendMail({ to: inbox.emailAddress, text: links.join(' ') })
    const leave = new AbortController()
    const options = { timeoutSeconds: 50, signal: leave.signal }
    const running = inbox.check([{ type: 'linkResponds' }, { type: 'linkResponds' }], options)
    const socket = await arrived.promise
    const closed = once(socket, 'close')
    leave.abort()
    await assert.rejects(running)
    await closed
    assert.deepEqual(requested, ['/1'])
  })

  it('refuse to fetch private addresses by default', async () => {
    await using site = await startSite()
    await using service = await startService()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, text: `${site.url}/verify` })
    const { passed, results } = await inbox.check([{ type: 'linkResponds' }])
    assert.equal(passed, false)
    assert.match(
      String(results[0]?.detail),
      /was not fetched: The address is not allowed, or the host name has no address\./,
    )
    assert.equal(site.hits(), 0)
  })

  it('are saved as scenarios, listed, run and deleted', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const inbox = await dev.inboxes.create()
    const created = await dev.post('/v1/scenarios', {
      name: 'sign-up',
      assertions: [
        { type: 'containsText', text: 'Hi' },
        { type: 'auth', check: 'spf' },
      ],
    })
    assert.equal(created.status, 201)
    const { scenario } = created.body
    assert.match(scenario.id, /^scn_/)
    assert.equal(scenario.timeoutSeconds, 30)
    assert.equal(scenario.assertions[1].expect, 'pass')
    assert.deepEqual(await dev.scenarios.list(), [scenario])
    assert.deepEqual(await other.scenarios.list(), [])

    await service.sendMail({ to: inbox.emailAddress, text: 'Hi' })
    const run = await dev.scenarios.run(scenario.id, inbox)
    assert.equal(run.results[0]?.passed, true)
    assert.equal(run.arrivalSeconds, 0)
    const foreign = other.scenarios.run(scenario.id, inbox)
    await assert.rejects(foreign, { code: 'scenario_not_found' })
    const noInbox = dev.scenarios.run(scenario.id, { id: 'inb_x' })
    await assert.rejects(noInbox, { code: 'inbox_not_found' })
    await assert.rejects(other.scenarios.delete(scenario.id), { status: 404 })
    assert.equal((await dev.delete(`/v1/scenarios/${scenario.id}`)).status, 204)
    await assert.rejects(dev.scenarios.delete(scenario.id), { status: 404 })
  })
})

/** A small site with a page, a broken page and a redirect. */
async function startSite() {
  let hits = 0
  const server = createServer((request, response) => {
    hits += 1
    const path = request.url ?? ''
    if (path.startsWith('/redirect')) {
      response.writeHead(302, { location: path.slice('/redirect'.length) }).end()
    } else {
      response.writeHead(path === '/broken' ? 500 : 200).end('page')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    hits: () => hits,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
