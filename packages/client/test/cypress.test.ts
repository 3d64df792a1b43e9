import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addMayflyCommands, mayflyTasks } from '../src/testing/cypress.ts'
import { type FakeMayfly, startFakeMayfly } from './testing-fake-mayfly.ts'

type Commands = Record<string, (...args: unknown[]) => Promise<unknown>>
type Sent = { readonly name: string; readonly argument: unknown; readonly timeout: number }

/** The commands, with a `cy.task` that passes arguments and results as JSON, as Cypress does. */
function startCypress({ baseUrl }: FakeMayfly) {
  const tasks = new Map(Object.entries(mayflyTasks({ baseUrl, apiKey: 'mf_test_key' })))
  const sent: Sent[] = []
  let commands: Commands = {}
  addMayflyCommands(
    {
      Commands: {
        addAll: (added) => {
          // Cypress calls them with whatever the test wrote.
          commands = added as Commands
        },
      },
    },
    {
      task: async (name, argument, { timeout }) => {
        const overWire = JSON.parse(JSON.stringify(argument))
        sent.push({ name, argument: overWire, timeout })
        const result = await tasks.get(name)?.(overWire)
        assert.notEqual(result, undefined, 'Cypress refuses tasks that return nothing')
        return JSON.parse(JSON.stringify(result))
      },
    },
  )
  const run = (name: string, ...args: readonly unknown[]) => {
    const command = commands[name]
    assert.ok(command !== undefined, name)
    return command(...args)
  }
  return { run, sent }
}

describe('the commands for Cypress', () => {
  it('make, read, diagnose and delete an inbox', async () => {
    await using mayfly = await startFakeMayfly()
    const { run } = startCypress(mayfly)
    const inbox = await run('createInbox', { localPart: 'qa' })
    assert.deepEqual(JSON.parse(mayfly.calls[0]?.body ?? ''), { localPart: 'qa' })
    mayfly.inbox.deliver({})
    const read = await run('readInbox', inbox)
    assert.deepEqual(read, { ...Object(inbox), messageCount: 1, unreadCount: 1, watermark: '1' })
    assert.deepEqual(await run('diagnoseInbox', inbox), mayfly.inbox.diagnostics)
    assert.equal(await run('deleteInbox', inbox), null)
    await assert.rejects(run('readInbox', inbox), { code: 'inbox_not_found' })
  })

  it('wait with expressions and moments, which JSON does not know', async () => {
    await using mayfly = await startFakeMayfly()
    const { run } = startCypress(mayfly)
    const inbox = await run('createInbox')
    const link = { url: 'https://acme.example/verify?t=1', text: 'Verify' }
    mayfly.inbox.deliver(
      { subject: 'Verify', links: [link], otp: { value: '481516', confidence: 1 } },
      { subject: 'News' },
    )
    const since = new Date('2026-01-31T09:00:00.000Z')
    const message = await run('waitForEmail', inbox, { subject: /^verify$/i, since })
    assert.equal(Object(message).subject, 'Verify')
    await run('waitForEmail', inbox, { subject: 'News', q: 'is:unread' })
    assert.equal(mayfly.calls.at(-1)?.query.get('q'), 'is:unread')
    assert.equal(Object(await run('waitForOtp', inbox)).value, '481516')
    await run('waitForOtp', inbox, { otpFormat: '999999' })
    assert.equal(mayfly.calls.at(-1)?.query.get('otpFormat'), '999999')
    assert.equal(Object(await run('waitForLink', inbox, { link: /VERIFY/i })).url, link.url)
    assert.equal(Object(await run('waitForLink', inbox, { link: 'verify' })).url, link.url)
  })

  it('give a task more time than the wait in it takes', async () => {
    await using mayfly = await startFakeMayfly()
    const { run, sent } = startCypress(mayfly)
    const inbox = await run('createInbox')
    mayfly.inbox.deliver({})
    await run('waitForEmail', inbox)
    await run('waitForEmail', inbox, { timeoutSeconds: 90 })
    assert.deepEqual(
      sent.slice(1).map(({ timeout }) => timeout),
      [50_000, 110_000],
    )
  })

  it('fail with what the wait tells, and with the reasons of assertions', async () => {
    await using mayfly = await startFakeMayfly()
    const { run } = startCypress(mayfly)
    const inbox = await run('createInbox')
    const waiting = run('waitForOtp', inbox, { timeoutSeconds: 0 })
    await assert.rejects(waiting, /^EmailTimeoutError: A one-time code did not reach qa@mayfly/)
    const results = [{ type: 'otpPresent', passed: false, detail: 'None was found.' }]
    const report = { passed: false, arrived: true, arrivalSeconds: 0, results, message: null }
    mayfly.script.push({ status: 200, body: Object(inbox) }, { status: 200, body: report })
    await assert.rejects(
      run('assertEmail', inbox, [{ type: 'otpPresent' }]),
      /FAILED {2}otpPresent: None was found\./,
    )
  })

  it('refuse options that they do not have', async () => {
    await using mayfly = await startFakeMayfly()
    const { run } = startCypress(mayfly)
    const inbox = await run('createInbox')
    mayfly.inbox.deliver({ subject: 'News' })
    assert.throws(() => run('waitForEmail', inbox, { subjet: 'x' }), /did you mean "subject"\?/)
    assert.throws(() => run('waitForLink', inbox, /x/), /such as \{ link: … \}; this is \/x\//)
    assert.throws(() => run('assertEmail', inbox, [], { subject: /x/ }), /must be a string/)
    assert.throws(() => mayflyTasks(Object({ baseURL: 'x' })), /did you mean "baseUrl"\?/)
  })
})
