import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, registerAccount, verifyWebhook } from '../src/index.ts'
import { startFakeMayfly } from './testing-fake-mayfly.ts'

/** As plain JavaScript passes it: the compiler would refuse it. */
function untyped(value: unknown) {
  // biome-ignore lint/suspicious/noExplicitAny: any type of options, as in JavaScript.
  return value as any
}

describe('the options of a call', () => {
  const mistakes: readonly [unknown, RegExp][] = [
    [{ subjet: 'Reset' }, /^Unknown option "subjet"; did you mean "subject"\?$/],
    [{ sbuject: 'Reset' }, /did you mean "subject"\?$/],
    [{ Subject: 'Reset' }, /did you mean "subject"\?$/],
    [{ timeout: 1 }, /did you mean "timeoutSeconds"\?$/],
    [{ seconds: 1 }, /did you mean "timeoutSeconds"\?$/],
    [{ subjectContains: 'Reset' }, /did you mean "subject"\?$/],
    [{ subjet: undefined }, /did you mean "subject"\?$/],
    [{ constructor: 1 }, /^Unknown option "constructor"\. There are subject, from, text, q, /],
    [{ subject: 5 }, /^The option subject must be a string or a regular expression, and is 5\.$/],
    [{ q: /x/ }, /^The option q must be a string, and is \/x\/\.$/],
    [
      { timeoutSeconds: -1 },
      /^The option timeoutSeconds must be a number, 0 or more, and is -1\.$/,
    ],
    [{ timeoutSeconds: '5' }, /a number, 0 or more, and is a string\.$/],
    [{ timeoutSeconds: Number.NaN }, /a number, 0 or more, and is NaN\.$/],
    [
      { since: new Date('x') },
      /^The option since must be a date or a date-time, and is of the type/,
    ],
    [{ signal: {} }, /^The option signal must be an AbortSignal, and is of the type Object\.$/],
    [{ from: null }, /, and is null\.$/],
    [/reset/, /^Options are an object, such as \{ subject: … \}; this is \/reset\/\.$/],
    ['reset', /^Options are an object, .* this is a string\.$/],
    [null, /^Options are an object, .* this is null\.$/],
  ]
  for (const [options, message] of mistakes) {
    it(`are refused: ${typeof options === 'object' ? Object.entries(options ?? {}) : options}`, async () => {
      await using mayfly = await startFakeMayfly()
      const inbox = await mayfly.connect().inboxes.create()
      mayfly.inbox.deliver({ subject: 'Welcome', otp: { value: '481516', confidence: 1 } })
      const waiting: Promise<unknown> = inbox.waitForMessage(untyped(options))
      await assert.rejects(waiting, { name: 'MayflyError', message })
      await assert.rejects(inbox.waitForOtp(untyped(options)), { message })
    })
  }

  it('are checked in every call that takes any', async () => {
    await using mayfly = await startFakeMayfly()
    const client = mayfly.connect()
    const inbox = await client.inboxes.create()
    mayfly.inbox.deliver({})
    const typo = untyped({ zzz: 1 })
    const act = () => assert.fail('the action ran')
    const calls: Record<string, () => Promise<unknown>> = {
      waitForLink: () => inbox.waitForLink(typo),
      waitForNoMessage: () => inbox.waitForNoMessage(typo),
      expectEmail: () => inbox.expectEmail(act, typo),
      expectOtp: () => inbox.expectOtp(act, typo),
      expectLink: () => inbox.expectLink(act, typo),
      expectNoEmail: () => inbox.expectNoEmail(act, typo),
      assert: () => inbox.assert([], typo),
      check: () => inbox.check([], typo),
      diagnose: () => inbox.diagnose(typo),
      markRead: () => inbox.markRead('msg_1', typo),
      refresh: () => inbox.refresh(typo),
      delete: () => inbox.delete(typo),
      readRaw: () => inbox.readRaw('msg_1', typo),
      get: () => client.inboxes.get('inb_1', typo),
      usage: () => client.account.usage(typo),
      keys: () => client.keys.list(typo),
      domains: () => client.domains.list(typo),
      run: () => client.scenarios.run('scn_1', inbox, typo),
      webhooks: () => client.webhooks.list(typo),
      events: () => client.events(typo).next(),
      register: () => registerAccount(untyped({ email: 'a@b.example', zzz: 1 })),
      waitForOtp: () => inbox.waitForOtp(typo),
      verify: () => verifyWebhook({}, '', untyped({ secret: 'whsec_1', zzz: 1 })),
    }
    const sent = mayfly.calls.length
    for (const [name, call] of Object.entries(calls)) {
      await assert.rejects(call, { name: 'MayflyError', message: /^Unknown option "zzz"/ }, name)
    }
    assert.equal(mayfly.calls.length, sent)
  })

  it('of a client are refused at once, and what startMayfly returns is taken', () => {
    const apiKey = 'mf_test_key'
    const create = (options: object) => createClient({ apiKey, ...options })
    assert.throws(() => create({ baseURL: 'http://a.example' }), /did you mean "baseUrl"\?$/)
    assert.throws(() => create({ url: 'http://a.example' }), /did you mean "baseUrl"\?$/)
    assert.throws(() => create({ timeout: 5 }), /did you mean "timeoutSeconds"\?$/)
    assert.throws(
      () => createClient(untyped('http://a.example')),
      /^MayflyError: Options are an obj/,
    )
    create({ baseUrl: 'http://127.0.0.1:1', smtp: { host: 'a', port: 1 }, stop: async () => {} })
  })

  it('do not come before the function that sends the mail', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    const swapped: Promise<unknown> = inbox.expectLink(
      untyped(/verify/),
      untyped(() => {}),
    )
    await assert.rejects(
      swapped,
      /^MayflyError: expectLink takes a function first, and then options/,
    )
    const pattern: Promise<unknown> = inbox.waitForLink(untyped(/verify/))
    await assert.rejects(pattern, /such as \{ link: … \}; this is \/verify\/\.$/)
  })
})
