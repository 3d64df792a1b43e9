import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AssertionsFailedError, EmailTimeoutError } from '../src/index.ts'
import { type FakeMayfly, startFakeMayfly } from './testing-fake-mayfly.ts'

async function timeoutMessage(mayfly: FakeMayfly): Promise<string> {
  const inbox = await mayfly.connect().inboxes.create()
  try {
    await inbox.waitForOtp({ subject: /code/i, from: 'acme', timeoutSeconds: 0 })
  } catch (error) {
    assert.ok(error instanceof EmailTimeoutError)
    assert.equal(error.emailAddress, 'qa@mayfly.test')
    return error.message
  }
  throw new Error('the wait did not time out')
}

describe('the error of a wait that timed out', () => {
  it('says that no mail arrived, and what to do next', async () => {
    await using mayfly = await startFakeMayfly()
    assert.equal(
      await timeoutMessage(mayfly),
      `A one-time code with from "acme" and subject /code/i did not reach qa@mayfly.test within 0 s.

No mail arrived for this address, and none was refused.

What to do next:
  - Check that the application sends to port 1025.`,
    )
  })

  it('says what arrived and why it did not match, and what was refused', async () => {
    await using mayfly = await startFakeMayfly()
    mayfly.inbox.diagnostics = {
      ...mayfly.inbox.diagnostics,
      state: 'suspended',
      domain: { domain: 'qa.acme.example', status: 'pending' },
      events: [
        { stage: 'smtp.accepted', at: '2026-01-31T09:29:58.000Z', detail: null },
        {
          stage: 'near.miss',
          at: '2026-01-31T09:29:59.000Z',
          detail: '550 5.1.1 qq@mayfly.test\u001b[1m',
        },
      ],
    }
    mayfly.inbox.deliver(
      { subject: 'Weekly news', otp: { value: '2026', confidence: 0.2 } },
      { subject: null, from: { name: null, address: 'eve@evil.example' } },
      { subject: 'Code\u202e' },
    )
    assert.equal(
      await timeoutMessage(mayfly),
      `A one-time code with from "acme" and subject /code/i did not reach qa@mayfly.test within 0 s.

Arrived, but did not match:
  09:30:01 UTC  "Weekly news": its subject does not match /code/i
  09:30:02 UTC  (none): its sender "eve@evil.example" does not contain "acme"
  09:30:03 UTC  "Code ": no one-time code was found in it

Refused:
  09:29:59 UTC  550 5.1.1 qq@mayfly.test [1m

The inbox is suspended: it accepts no mail.

The domain qa.acme.example is pending.

What to do next:
  - Check that the application sends to port 1025.`,
    )
  })

  it('does not repeat as a step why the newest mail did not match', async () => {
    await using mayfly = await startFakeMayfly()
    mayfly.inbox.deliver({ subject: 'News' })
    const { diagnostics } = mayfly.inbox
    const reason = 'it came before the watermark'
    const step = `"News" arrived, but did not match: ${reason}.`
    mayfly.inbox.diagnostics = { ...diagnostics, nextSteps: [step, ...diagnostics.nextSteps] }
    const message = await timeoutMessage(mayfly)
    assert.match(message, /"News": no one-time code|"News": it came before/)
    assert.doesNotMatch(message, /- "News" arrived/)
    assert.match(message, /What to do next:\n {2}- Check that the application sends to port 1025\./)
  })

  it('counts the mail that it does not name, and keeps the order of one instant', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    const receivedAt = '2026-01-31T09:30:00.000Z'
    mayfly.inbox.deliver(
      ...Array.from({ length: 15 }, (_, i) => ({ subject: `News ${i + 1}`, receivedAt })),
    )
    // The service names the newest messages alone.
    const newest = Array.from({ length: 12 }, (_, i) => ({ number: 15 - i }))
    const considered = newest.map(({ number }) => {
      return { id: `msg_${number}`, subject: `News ${number}`, receivedAt, reason: 'no' }
    })
    const error = { type: 'timeout', code: 'nothing_arrived', message: 'Nothing arrived.' }
    const diagnostics = { ...mayfly.inbox.diagnostics, considered }
    mayfly.script.push({ status: 408, body: { error, diagnostics } })
    await assert.rejects(inbox.waitForMessage({ subject: 'x', timeoutSeconds: 0 }), (thrown) => {
      assert.ok(thrown instanceof EmailTimeoutError)
      const lines = thrown.message.split('\n')
      const first = lines.findIndex((line) => line.includes('… and 5 earlier'))
      const shown = lines.slice(first + 1, first + 11)
      assert.deepEqual(
        shown.map((line) => /"News (\d+)"/.exec(line)?.[1]),
        ['6', '7', '8', '9', '10', '11', '12', '13', '14', '15'],
      )
      return true
    })
  })

  it('stays short when a hundred mails arrived', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    mayfly.inbox.deliver(...Array.from({ length: 100 }, (_, i) => ({ subject: `News ${i + 1}` })))
    await assert.rejects(
      inbox.waitForMessage({ subject: 'x'.repeat(500), timeoutSeconds: 0 }),
      (error) => {
        assert.ok(error instanceof EmailTimeoutError)
        assert.equal(error.diagnostics.considered.length, 100)
        assert.match(error.message, /… and 90 earlier\n {2}09:\d\d:\d\d UTC {2}"News 91"/)
        assert.ok(error.message.length < 4_000, error.message)
        return true
      },
    )
  })
})

describe('the error of assertions', () => {
  const RUN = {
    passed: false,
    arrived: true,
    arrivalSeconds: 1.5,
    results: [
      { type: 'otpPresent', passed: true, detail: 'The code is 481516.' },
      { type: 'containsText', passed: false, detail: 'Neither holds "Hello".' },
    ],
    message: { id: 'msg_1', subject: 'Welcome', receivedAt: '2026-01-31T09:30:00.000Z' },
  }

  it('lists each with its reason, and holds the report', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    mayfly.script.push({ status: 200, body: RUN })
    await assert.rejects(inbox.assert([{ type: 'otpPresent' }]), (error) => {
      assert.ok(error instanceof AssertionsFailedError)
      assert.equal(
        error.message,
        `1 of 2 assertions failed on "Welcome" to qa@mayfly.test.
  passed  otpPresent: The code is 481516.
  FAILED  containsText: Neither holds "Hello".`,
      )
      assert.equal(error.run.results.length, 2)
      return true
    })
  })

  it('is not thrown by a check, which asks again while time is left', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    const nothing = { ...RUN, arrived: false, arrivalSeconds: null, message: null }
    mayfly.script.push({ status: 200, body: nothing }, { status: 200, body: RUN })
    const since = new Date(0)
    const run = await inbox.check([{ type: 'otpPresent' }], { timeoutSeconds: 60, since })
    assert.equal(run.passed, false)
    assert.ok(run.arrivalSeconds !== null && run.arrivalSeconds >= 1.5)
    const asked = mayfly.calls.slice(1).map(({ body }) => JSON.parse(body))
    assert.deepEqual(
      asked.map(({ timeoutSeconds }) => timeoutSeconds),
      [50, 50],
    )
    assert.equal(asked[0].since, '1970-01-01T00:00:00.000Z')
  })
})

describe('the stack of an error', () => {
  it('begins at the line of the caller', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    try {
      await inbox.waitForMessage({ timeoutSeconds: 0 })
      assert.fail('the wait did not time out')
    } catch (error) {
      assert.ok(error instanceof EmailTimeoutError)
      assert.match(error.stack ?? '', /^EmailTimeoutError: A message did not reach/)
      assert.match(/^\s+at .*$/m.exec(error.stack ?? '')?.[0] ?? '', /explain\.test\.ts/)
    }
  })
})
