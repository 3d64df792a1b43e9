import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EmailTimeoutError, UnexpectedEmailError, type WaitOptions } from '../src/index.ts'
import { errorResponse } from './testing-fake-http.ts'
import { type FakeMayfly, startFakeMayfly } from './testing-fake-mayfly.ts'

const CODE = { value: '481516', confidence: 0.99 }
const VERIFY = { url: 'https://acme.example/verify?token=1', text: 'Confirm your address' }
const HELP = { url: 'https://acme.example/help', text: 'How to verify' }

async function openInbox(mayfly: FakeMayfly) {
  return mayfly.connect().inboxes.create()
}

function waitPaths(mayfly: FakeMayfly): readonly string[] {
  return mayfly.calls.filter(({ path }) => path.endsWith('/wait')).map(({ query }) => String(query))
}

describe('a wait', () => {
  it('takes a message that is there already, with one call', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    mayfly.inbox.deliver({ subject: 'Old' }, { subject: 'New' })
    assert.equal((await inbox.waitForMessage()).subject, 'New')
    assert.deepEqual(waitPaths(mayfly), ['for=message&timeoutSeconds=30'])
  })

  it('leaves texts to the service, with one call', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    mayfly.inbox.deliver({ subject: 'Please verify' }, { subject: 'News' })
    const message = await inbox.waitForMessage({ subject: 'VERIFY', from: 'acme', text: 'hello' })
    assert.equal(message.subject, 'Please verify')
    const asked = 'from=acme&subjectContains=VERIFY&textContains=hello'
    assert.deepEqual(waitPaths(mayfly), [`for=message&timeoutSeconds=30&${asked}`])
    assert.equal(mayfly.calls.length, 2)
  })

  it('is woken by what arrives later', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    const waiting = inbox.waitForOtp()
    await untilHeld(mayfly)
    mayfly.inbox.deliver({ otp: CODE })
    const { value, confidence, message } = await waiting
    assert.deepEqual({ value, confidence }, CODE)
    assert.equal(message.id, 'msg_1')
  })

  it('leaves the form of a code to the service, also behind a message that does not match', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    mayfly.inbox.deliver({ otp: CODE, subject: 'Please verify' }, { otp: CODE, subject: 'News' })
    const { message } = await inbox.waitForOtp({ otpFormat: '999999', subject: /verify/ })
    assert.equal(message.subject, 'Please verify')
    assert.deepEqual(waitPaths(mayfly), ['for=otp&timeoutSeconds=30&otpFormat=999999'])
    const read = mayfly.calls.find(({ path }) => path.endsWith('/messages/msg_1'))
    assert.equal(String(read?.query), 'otpFormat=999999')
  })

  it('finds what a filter asks for behind a newer message that does not match', async () => {
    const message = { subject: 'Please verify', from: { name: 'Bo', address: 'bo@acme.example' } }
    const filters: readonly WaitOptions[] = [
      { subject: 'VERIFY' },
      { subject: /^please/i },
      { subject: /verify/g, from: /bo@/g },
      { from: 'BO@acme', subject: '' },
      { from: /^Bo <bo@/ },
      { text: /code is \d+/ },
    ]
    for (const filter of filters) {
      await using mayfly = await startFakeMayfly()
      const inbox = await openInbox(mayfly)
      mayfly.inbox.deliver({ ...message, text: 'Your code is 5' }, {}, {}, { subject: 'News' })
      assert.equal((await inbox.waitForMessage(filter)).id, 'msg_1', JSON.stringify(filter))
    }
  })

  it('misses nothing that arrives together with a message that does not match', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    const waiting = inbox.waitForMessage({ subject: 'Verify' })
    await untilHeld(mayfly)
    mayfly.inbox.deliver({ subject: 'News' })
    await untilHeld(mayfly)
    mayfly.inbox.deliver({ subject: 'Verify' }, { subject: 'More news' })
    assert.equal((await waiting).id, 'msg_2')
  })

  it('finds a link by its URL first, then by its text', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    mayfly.inbox.deliver({ links: [HELP, VERIFY] })
    assert.equal((await inbox.waitForLink({ link: /verify/ })).url, VERIFY.url)
    assert.equal((await inbox.waitForLink({ link: 'confirm your' })).url, VERIFY.url)
    assert.equal((await inbox.waitForLink()).url, HELP.url)
  })

  it('says why no link matched', async () => {
    const cases = [
      { links: [], reason: 'it has no links' },
      { links: [HELP], reason: 'its only link does not match "invoice"' },
      { links: [HELP, { ...HELP, text: 'More' }], reason: 'none of its 2 links matches "invoice"' },
    ]
    for (const { links, reason } of cases) {
      await using mayfly = await startFakeMayfly()
      const inbox = await openInbox(mayfly)
      mayfly.inbox.deliver({ links, subject: 'Welcome' })
      await assert.rejects(inbox.waitForLink({ link: 'invoice', timeoutSeconds: 0 }), (error) => {
        assert.ok(error instanceof EmailTimeoutError)
        assert.match(error.message, /^A link that matches "invoice" did not reach /)
        assert.ok(error.message.includes(`"Welcome": ${reason}\n`), error.message)
        return true
      })
    }
  })

  it('calls again when the timeout is longer than the service holds a call', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    const nothing = errorResponse(408, 'nothing_arrived')
    mayfly.script.push(nothing, nothing)
    const waiting = inbox.waitForMessage({ timeoutSeconds: 120 })
    await untilHeld(mayfly)
    mayfly.inbox.deliver({})
    await waiting
    const asked = mayfly.calls.flatMap(({ query }) => query.get('timeoutSeconds') ?? [])
    assert.deepEqual(asked, ['50', '50', '50'])
  })

  it('goes on after a restart of the service and a rate limit', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    const again = { 'retry-after': '0' }
    mayfly.script.push(
      errorResponse(503, 'shutting_down', again),
      'hangUp',
      errorResponse(429, 'concurrent_waits_exceeded', again),
    )
    mayfly.inbox.deliver({})
    assert.equal((await inbox.waitForMessage({ timeoutSeconds: 20 })).id, 'msg_1')
    assert.equal(waitPaths(mayfly).length, 4)
  })

  it('passes a start on: a moment as text or Date, a watermark', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    mayfly.inbox.deliver({}, {})
    const since = new Date('2026-01-31T09:30:02.000Z')
    assert.equal((await inbox.waitForMessage({ since })).id, 'msg_2')
    assert.equal((await inbox.waitForMessage({ since: since.toISOString() })).id, 'msg_2')
    assert.equal((await inbox.waitForMessage({ after: '1', subject: 'welcome' })).id, 'msg_2')
    const late = inbox.waitForMessage({ after: '2', timeoutSeconds: 0 })
    await assert.rejects(late, EmailTimeoutError)
  })

  it('frees its place when its signal fires', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    const controller = new AbortController()
    const waiting = inbox.waitForMessage({ signal: controller.signal })
    await untilHeld(mayfly)
    controller.abort()
    await assert.rejects(waiting, { name: 'AbortError' })
  })
})

describe('an expected email', () => {
  it('is one that arrives after the action began', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    mayfly.inbox.deliver({ subject: 'Old code', otp: CODE })
    const fresh = { value: '232342', confidence: 0.9 }
    const otp = await inbox.expectOtp(() => mayfly.inbox.deliver({ otp: fresh }))
    assert.equal(otp.value, '232342')
    const message = await inbox.expectEmail(async () => mayfly.inbox.deliver({ subject: 'Third' }))
    assert.equal(message.subject, 'Third')
    const deliver = () => mayfly.inbox.deliver({ links: [VERIFY] })
    const link = await inbox.expectLink(deliver, { link: /verify/ })
    assert.equal(link.url, VERIFY.url)
  })

  it('leaves an error of the action as it is', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    const broken = () => Promise.reject(new Error('the form is gone'))
    await assert.rejects(inbox.expectEmail(broken), /the form is gone/)
    const inner = () => inbox.waitForMessage({ timeoutSeconds: 0 })
    await assert.rejects(inbox.expectNoEmail(inner, { withinSeconds: 0 }), EmailTimeoutError)
  })

  it('that must not come fails the test as soon as it does', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await openInbox(mayfly)
    await inbox.waitForNoMessage({ withinSeconds: 0 })
    mayfly.inbox.deliver({ subject: 'Surprise\u001b[2J' })
    await inbox.waitForNoMessage({ withinSeconds: 0, subject: 'Invoice' })
    await inbox.expectNoEmail(() => {}, { withinSeconds: 0 })
    await assert.rejects(inbox.waitForNoMessage({ withinSeconds: 60 }), (error) => {
      assert.ok(error instanceof UnexpectedEmailError)
      assert.equal(
        error.message,
        'A message reached qa@mayfly.test although none was expected within 60 s: "Surprise [2J" from "Acme <noreply@acme.example>" at 09:30:01 UTC.',
      )
      return true
    })
  })
})

/** Resolves once the fake holds a call. */
async function untilHeld(mayfly: FakeMayfly): Promise<void> {
  while (mayfly.inbox.held === 0) await new Promise((resolve) => setImmediate(resolve))
}
