import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharedService, type TestService } from '../../server/test/testing-start-service.ts'
import { createClient, EmailTimeoutError, type Inbox, registerAccount } from '../src/index.ts'

const CODE_MAIL = { subject: 'Your code', text: 'Your verification code is 481516.' }

let accounts = 0

/** A client of a new account. */
async function signUp({ httpUrl: baseUrl }: TestService, givenEmail?: string) {
  accounts += 1
  const email = givenEmail ?? `dev${accounts}@example.com`
  const { apiKey } = await registerAccount({ baseUrl, email, name: 'Dev' })
  return createClient({ baseUrl, apiKey })
}

async function timeoutOf(wait: Promise<unknown>): Promise<EmailTimeoutError> {
  const error = await wait.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof EmailTimeoutError, String(error))
  return error
}

describe('the client with the service', () => {
  const shared = sharedService()

  it('registers, and tells the account, its keys and its use', async () => {
    const service = await shared()
    const client = await signUp(service, 'dev@example.com')
    const { account, limits } = await client.account.read()
    assert.deepEqual(
      [account.email, account.name, limits.inboxesPerDay],
      ['dev@example.com', 'Dev', null],
    )
    assert.equal((await client.account.usage({ days: 3 })).length, 3)
    const { key } = await client.keys.create({ name: 'CI', environment: 'test' })
    assert.deepEqual([key.role, key.environment], ['member', 'test'])
    await client.keys.rotate()
    assert.equal((await client.keys.list()).length, 2)
    await client.keys.revoke(key.id)
    assert.equal((await client.keys.list()).length, 1)
    await assert.rejects(client.keys.revoke(key.id), { code: 'key_not_found', status: 404 })
  })

  it('tells why mail did not count without a watermark that the test has not taken', async () => {
    const service = await shared()
    const inbox = await (await signUp(service)).inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, ...CODE_MAIL })
    const reason = 'its subject does not match /welcome/i'
    const byPattern = await timeoutOf(
      inbox.waitForMessage({ subject: /welcome/i, timeoutSeconds: 1 }),
    )
    assert.deepEqual(
      byPattern.diagnostics.considered.map((one) => one.reason),
      [reason],
    )
    assert.doesNotMatch(byPattern.message, /watermark/)

    const byAction = await timeoutOf(inbox.expectOtp(() => {}, { timeoutSeconds: 0 }))
    assert.match(byAction.message, /"Your code": it had arrived before the action began/)
    assert.doesNotMatch(byAction.message, /watermark/)

    const since = new Date(Date.now() + 60_000)
    await service.sendMail({ to: inbox.emailAddress, subject: 'Old' })
    const bySince = await timeoutOf(inbox.waitForOtp({ since, timeoutSeconds: 0 }))
    assert.match(bySince.message, /"Old": it was received at .*, before since/)

    const { watermark: after } = await inbox.refresh()
    const byAfter = await timeoutOf(inbox.waitForOtp({ after, timeoutSeconds: 0 }))
    assert.match(byAfter.message, /"Old": it had arrived before the watermark was taken/)
  })

  it('makes one inbox however often a create is repeated', async () => {
    const service = await shared()
    const client = await signUp(service)
    const create = () => client.inboxes.create({ idempotencyKey: 'run-1', localPart: 'qa' })
    const [first, second] = await Promise.all([create(), create()])
    assert.equal(first.id, second.id)
    assert.equal(first.emailAddress, 'qa@mayfly.test')
    assert.deepEqual(
      (await client.inboxes.list()).inboxes.map(({ id }) => id),
      [first.id],
    )
    const again = client.inboxes.create({ localPart: 'qa' })
    await assert.rejects(again, { code: 'address_taken', status: 409 })
  })

  it('goes through all pages of a list', async () => {
    const service = await shared()
    const client = await signUp(service)
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1) ids.unshift((await client.inboxes.create()).id)
    const first = await client.inboxes.list({ limit: 2 })
    assert.deepEqual(
      first.inboxes.map(({ id }) => id),
      ids.slice(0, 2),
    )
    const listed = client.inboxes.list({ limit: 2 })
    assert.deepEqual(await Array.fromAsync(listed, ({ id }) => id), ids)
    const rest = client.inboxes.list({ limit: 1, cursor: first.nextCursor ?? '' })
    assert.deepEqual(await Array.fromAsync(rest, ({ id }) => id), ids.slice(2))
    assert.deepEqual(await Array.fromAsync(client.search('nothing')), [])
    assert.deepEqual(await Array.fromAsync(client.webhooks.deliveries()), [])
    const wrong = Array.fromAsync(client.inboxes.list({ limit: 0 }))
    await assert.rejects(wrong, { code: 'invalid_parameter' })
  })

  it('waits for a message, a code and a link that arrive later', async () => {
    const service = await shared()
    const client = await signUp(service)
    await using inbox = await client.inboxes.create()
    const to = inbox.emailAddress
    const otp = inbox.waitForOtp({ subject: /code/i })
    const link = inbox.waitForLink({ link: /verify/ })
    await service.sendMail({ to, subject: 'News' })
    await service.sendMail({ to, ...CODE_MAIL })
    await service.sendMail({
      to,
      text: 'See https://a.example/help or https://a.example/verify?t=1',
    })
    assert.equal((await otp).value, '481516')
    assert.equal((await link).url, 'https://a.example/verify?t=1')
    const message = await inbox.waitForMessage({ from: 'app@example.com', subject: /^news$/i })
    assert.equal(message.envelope.rcptTo, to)
    const raw = await inbox.readRaw(message.id)
    assert.match(Buffer.from(raw).toString(), /^Subject: News\r$/m)
    const { messages } = await inbox.listMessages({ limit: 2 })
    assert.equal(messages.length, 2)
  })

  it('counts only what comes after the action began', async () => {
    const service = await shared()
    const client = await signUp(service)
    await using inbox = await client.inboxes.create()
    const send = (code: string) =>
      service.sendMail({ to: inbox.emailAddress, text: `Your verification code is ${code}.` })
    await send('111111')
    const { value } = await inbox.expectOtp(() => send('481516'))
    assert.equal(value, '481516')
    await inbox.expectNoEmail(() => {}, { withinSeconds: 1 })
    await assert.rejects(
      inbox.expectNoEmail(() => send('222222')),
      { name: 'UnexpectedEmailError' },
    )
  })

  it('tells what did arrive and what was refused when a wait is in vain', async () => {
    const service = await shared()
    const client = await signUp(service)
    await using inbox = await client.inboxes.create({ localPart: 'signup-ada' })
    const empty = await timeoutOf(inbox.waitForMessage({ timeoutSeconds: 0 }))
    assert.match(empty.message, /^A message did not reach signup-ada@mayfly\.test within 0 s\.\n/)
    assert.match(empty.message, /No mail arrived/)
    assert.match(empty.message, /What to do next:\n {2}- \S/)

    await service.sendMail({ to: inbox.emailAddress, subject: 'News' })
    const [refused] = await service.sendMails([{ to: 'signup-adaa@mayfly.test' }])
    assert.match(refused?.recipients[0] ?? '', /^550/)
    for (const subject of ['Verify', /verify/i]) {
      const { message, diagnostics } = await timeoutOf(
        inbox.waitForMessage({ subject, timeoutSeconds: 0 }),
      )
      assert.match(message, /"News": its subject does not (contain|match) ["/]verify/i)
      assert.match(message, /Refused:\n.* UTC {2}mail for signup-adaa/)
      assert.equal(diagnostics.considered.length, 1)
    }
  })

  it('runs assertions and scenarios', async () => {
    const service = await shared()
    const client = await signUp(service)
    await using inbox = await client.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, ...CODE_MAIL })
    const run = await inbox.assert([{ type: 'otpPresent' }, { type: 'containsText', text: 'code' }])
    assert.deepEqual([run.passed, run.arrivalSeconds], [true, 0])
    const missing = [{ type: 'containsText', text: 'Welcome' }] as const
    await assert.rejects(
      inbox.assert(missing),
      /^AssertionsFailedError: 1 of 1 assertions failed on/,
    )
    const scenario = await client.scenarios.create({ name: 'sign-up', assertions: missing })
    assert.equal((await client.scenarios.run(scenario.id, inbox)).passed, false)
    assert.deepEqual(
      (await client.scenarios.list()).map(({ name }) => name),
      ['sign-up'],
    )
    await client.scenarios.delete(scenario.id)
    const stages = (await inbox.diagnose()).events.map(({ stage }) => stage)
    assert.ok(stages.includes('inbox.created') && stages.includes('message.stored'))
  })

  it('ends a wait on an inbox that is deleted meanwhile', async () => {
    const service = await shared()
    const client = await signUp(service)
    const inbox = await client.inboxes.create()
    const waiting = inbox.waitForMessage()
    await Promise.all([
      assert.rejects(waiting, { code: 'inbox_not_found' }),
      untilHeld(client, inbox).then(() => inbox.delete()),
    ])
  })
})

/** A call after the wait was sent has been answered: the wait has reached the service. */
async function untilHeld(client: ReturnType<typeof createClient>, inbox: Inbox): Promise<void> {
  await client.inboxes.get(inbox.id)
}
