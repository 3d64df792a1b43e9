import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EmailTimeoutError, type Message, UnexpectedEmailError } from '../src/index.ts'
import { mailSnapshotSerializer, maskMessage } from '../src/testing/mask.ts'
import { matchers } from '../src/testing/matchers.ts'
import { waitSecondsWithin } from '../src/testing/wait-time.ts'
import { fakeMessage } from './testing-fake-inbox.ts'
import { startFakeMayfly } from './testing-fake-mayfly.ts'

const CODE = { value: '481516', confidence: 0.99 }

describe('a masked message', () => {
  const masked: readonly [string, string][] = [
    ['Your code is 481516.', 'Your code is <code>.'],
    ['Your code is 481 516 or 481-516', 'Your code is <code> or <code>'],
    ['Order 14815160 of 2 items', 'Order 14815160 of 2 items'],
    ['to QA-7f3k@mayfly.test now', 'to <inbox> now'],
    ['http://127.0.0.1:4321/?to=qa-7f3k%40mayfly.test', 'http://127.0.0.1:<port>/?to=<inbox>'],
    ['https://a.example/v?token=ab12&x=1', 'https://a.example/v?token=<token>&x=1'],
    ['https://a.example/v?x=1&amp;code=ab', 'https://a.example/v?x=1&amp;code=<token>'],
    ['https://a.example/r/9f86d081884c7d659a2feaa0', 'https://a.example/r/<token>'],
    ['jwt eyJhbGciOi.eyJzdWIi.c2ln', 'jwt <token>'],
    ['id 123e4567-e89b-12d3-a456-426614174000', 'id <uuid>'],
    ['at 2026-01-31T09:30:00.000Z', 'at <date>'],
    ['on 2026-01-31, 31.01.2026 and 1/31/2026', 'on <date>, <date> and <date>'],
    ['on 31 January 2026 at 9:30 PM', 'on <date> at <time>'],
    ['on Jan 31st, 2026 at 21:30:00 +0100', 'on <date> at <time>'],
    ['Sat, 31 Jan 2026 09:30:00 +0000', 'Sat, <date> <time>'],
    ['Valid for 10 minutes. Since 1999.', 'Valid for 10 minutes. Since 1999.'],
    ['internationalization is a long word', 'internationalization is a long word'],
  ]
  for (const [text, expected] of masked) {
    it(`shows "${text}" as "${expected}"`, () => {
      const envelope = { ...fakeMessage().envelope, rcptTo: 'qa-7f3k@mayfly.test' }
      const message = fakeMessage({ text, subject: text, html: text, otp: CODE, envelope })
      const { subject, text: body, html, otp } = maskMessage(message)
      assert.deepEqual([subject, body, html, otp], [expected, expected, expected, '<code>'])
    })
  }

  it('is what a snapshot prints, of messages alone', () => {
    const first = fakeMessage({ id: 'msg_1', otp: CODE, text: 'Code 481516' })
    const second = fakeMessage({
      id: 'msg_2',
      receivedAt: '2027-01-01T00:00:00.000Z',
      otp: { value: '232342', confidence: 0.5 },
      text: 'Code 232342',
    })
    const print = (message: Message) => mailSnapshotSerializer.print(message, JSON.stringify)
    assert.equal(print(first), print(second))
    assert.match(
      print(first),
      /^Message \(format 1\) \{"from":"Acme <noreply@acme\.example>","to":/,
    )
    assert.ok(mailSnapshotSerializer.test(first))
    for (const other of [null, 'text', {}, maskMessage(first)]) {
      assert.ok(!mailSnapshotSerializer.test(other))
    }
  })
})

describe('the matchers', () => {
  it('pass, and throw what the wait throws, with its diagnostics', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    const { toReceiveEmail, toReceiveOtp } = matchers
    await assert.rejects(toReceiveEmail.call({}, inbox, { timeoutSeconds: 0 }), (error) => {
      assert.ok(error instanceof EmailTimeoutError)
      assert.match(error.message, /^A message did not reach qa@mayfly\.test within 0 s\.\n/)
      assert.deepEqual(error.diagnostics, { ...mayfly.inbox.diagnostics, considered: [] })
      return true
    })
    mayfly.inbox.deliver({ otp: CODE })
    assert.equal((await toReceiveEmail.call({}, inbox)).pass, true)
    assert.equal((await toReceiveOtp.call({}, inbox)).pass, true)
    assert.equal((await toReceiveOtp.call({}, inbox, { value: /^\d{6}$/ })).pass, true)
    await assert.rejects(toReceiveOtp.call({}, inbox, { value: '111111' }), (error) => {
      assert.ok(error instanceof UnexpectedEmailError)
      assert.equal(error.message, 'The code 481516 received by qa@mayfly.test is not 111111.')
      assert.equal(error.email.id, 'msg_1')
      return true
    })
  })

  it('wait for absence when inverted', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    const { toReceiveEmail, toReceiveOtp } = matchers
    const not = { isNot: true }
    // The runner negates the result of an inverted matcher.
    assert.equal((await toReceiveEmail.call(not, inbox, { withinSeconds: 0 })).pass, false)
    mayfly.inbox.deliver({})
    await assert.rejects(toReceiveEmail.call(not, inbox, { withinSeconds: 9 }), {
      name: 'UnexpectedEmailError',
      message: /^A message reached qa@mayfly\.test although none was expected within 9 s: /,
    })
    await assert.rejects(toReceiveOtp.call(not, inbox), /has no \.not/)
  })

  it('refuse options that they do not have', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    mayfly.inbox.deliver({ otp: CODE })
    const { toReceiveEmail, toReceiveOtp } = matchers
    const typo: object = { subjet: 'Invoice' }
    await assert.rejects(toReceiveEmail.call({}, inbox, typo), /"subjet"; did you mean "subject"\?/)
    const code: object = { code: '000000' }
    await assert.rejects(toReceiveOtp.call({}, inbox, code), /Unknown option "code"\. .* value,/)
    const seconds = { timeoutSeconds: 1 }
    const not = toReceiveEmail.call({ isNot: true }, inbox, seconds)
    await assert.rejects(not, /Unknown option "timeoutSeconds"\. .* withinSeconds,/)
  })

  it('throw any other error', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    await inbox.delete()
    await assert.rejects(matchers.toReceiveEmail.call({}, inbox), { code: 'inbox_not_found' })
    await assert.rejects(matchers.toReceiveEmail.call({}, 'qa@mayfly.test'), /needs an inbox/)
  })
})

describe('the time of a wait in a test', () => {
  for (const [timeoutMs, elapsedMs, seconds] of [
    [5_000, 0, 3],
    [5_000, 2_500, 1],
    [5_000, 4_900, 1],
    [30_000, 0, 28],
    [30_000, 20_000, 8],
    [60_000, 0, 30],
    [60_000, 40_000, 18],
    [0, 40_000, 30],
    [Number.POSITIVE_INFINITY, 40_000, 30],
  ] as const) {
    it(`is ${seconds} s after ${elapsedMs} ms of a test that may take ${timeoutMs} ms`, () => {
      const startedAtMs = performance.now() - elapsedMs
      assert.equal(waitSecondsWithin({ timeoutMs, startedAtMs }), seconds)
    })
  }
})
