import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createClient } from '@mayfly/client'
import { until } from '../../server/test/testing-until.ts'
import { signedUp } from './testing-signed-up.ts'

const CODE = 'Your verification code is 481516.'

describe('mayfly wait', () => {
  it('shows a message that arrives while it waits', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const waiting = shell.run('wait', '--subject', '/^verify/i', '--timeout', '20')
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'News' })
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'Verify it' })
    const { code, out, err } = await waiting
    assert.equal(code, 0, err)
    assert.match(out, /^Subject +Verify it$/m)
    const json = await shell.run('wait', 'qa@mayfly.test', '--subject', 'news', '--json')
    assert.equal(JSON.parse(json.out).subject, 'News')
  })

  it('ends with 3 and tells what did arrive when nothing counts', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    const { watermark } = JSON.parse((await shell.run('inbox', 'new', '--json')).out)
    const [inbox] = JSON.parse((await shell.run('inbox', 'list', '--json')).out)
    await service.sendMail({ to: inbox.emailAddress, subject: 'News' })
    const late = await shell.run('wait', '--after', '1', '-t', '0')
    assert.equal(late.code, 3)
    assert.match(late.err, /"News": it had arrived before the watermark/)
    assert.equal(late.out, '')
    assert.equal((await shell.run('wait', '--after', watermark, '-t', '0')).code, 0)
  })

  it('shows a spinner with the time left to a person, and stops when interrupted', async () => {
    await using place = await signedUp({ isTerminal: true })
    const { shell } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const waiting = shell.start('wait', '--timeout', '40')
    while (!waiting.err().includes('left')) await new Promise((resolve) => setImmediate(resolve))
    assert.match(waiting.err(), /⠋ waiting for a message to qa@mayfly\.test, 40 s left/)
    waiting.interrupt()
    const { code, out } = await waiting.outcome
    assert.deepEqual([code, out], [130, ''])
  })
})

describe('mayfly otp', () => {
  it('prints the code alone', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'Your code', text: CODE })
    assert.deepEqual(await shell.run('otp', '-t', '9'), { code: 0, out: '481516\n', err: '' })
    const json = JSON.parse((await shell.run('otp', '--json')).out)
    assert.equal(json.value, '481516')
  })
})

describe('mayfly assert and scenario', () => {
  it('end with 0 when all holds, 1 when not, 3 when nothing came', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    await shell.run('inbox', 'new', '--local-part', 'qa')
    const nothing = await shell.run('assert', '--contains', 'Hello', '-t', '0')
    assert.equal(nothing.code, 3)
    assert.match(nothing.out, /^FAILED {2}containsText: \S/)
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'Hello' })
    assert.equal((await shell.run('assert', '--contains', 'Hello')).code, 0)
    const failed = await shell.run('assert', '--contains', 'Hello', '--otp', '--auth', 'spf=policy')
    assert.equal(failed.code, 1)
    assert.deepEqual(failed.out.match(/^\w+ {2}\w+/gm), [
      'FAILED  otpPresent',
      'passed  containsText',
      'FAILED  auth',
    ])

    await service.sendMail({ to: 'qa@mayfly.test', subject: 'News', text: 'None.' })
    assert.equal((await shell.run('assert', '--contains', 'Hello')).code, 1)
    assert.equal((await shell.run('assert', '--subject', 'hello', '--contains', 'Hello')).code, 0)
    const other = await shell.run('assert', '--from', 'nobody', '--contains', 'Hello', '-t', '0')
    assert.equal(other.code, 3)
    await service.sendMail({ to: 'qa@mayfly.test', subject: 'Hello' })

    const saved = await shell.run('scenario', 'save', 'sign-up', '--contains', 'Hello')
    assert.match(saved.out, /^Saved as sign-up \(scn_\w+\)\.$/m)
    assert.equal((await shell.run('scenario', 'run', 'sign-up')).code, 0)
    assert.match((await shell.run('scenario', 'list')).out, /^sign-up +containsText +30 s +scn_/m)
    const file = join(shell.home, 'assertions.json')
    await writeFile(file, '[{"type":"containsText","text":"Goodbye"}]')
    await shell.run('scenario', 'save', 'farewell', '--file', file)
    assert.equal((await shell.run('scenario', 'run', 'farewell', 'qa@mayfly.test')).code, 1)
    assert.equal((await shell.run('scenario', 'rm', 'farewell')).code, 0)
    const unknown = await shell.run('scenario', 'run', 'farewell')
    assert.deepEqual([unknown.code, /no scenario "farewell"/.test(unknown.err)], [1, true])
  })

  it('replace the scenario of the same name', async () => {
    await using place = await signedUp()
    const { shell } = place
    const save = (...args: string[]) => shell.run('scenario', 'save', ...args)
    const list = async () => JSON.parse((await shell.run('scenario', 'list', '--json')).out)
    const first = JSON.parse((await save('sign-up', '--otp', '--json')).out)
    const refused = await save('sign-up', '--contains', 'x', '--timeout', '500')
    assert.equal(refused.code, 2)
    assert.deepEqual(await list(), [first])

    const second = await save(' sign-up ', '--contains', 'Hello')
    assert.match(second.out, /^Saved as sign-up \(scn_\w+\)\. scn_\w+ was replaced\.\n$/)
    assert.ok(second.out.includes(` ${first.id} was replaced`))
    const [only, ...others] = await list()
    assert.deepEqual([only.assertions[0].type, others.length], ['containsText', 0])
  })

  it('refuse a name that several scenarios have, and list their ids', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    await shell.run('inbox', 'new')
    const { apiKey } = JSON.parse((await shell.run('keys', 'new', 'other', '--json')).out)
    const { scenarios } = createClient({ baseUrl: service.httpUrl, apiKey })
    const twice = { name: 'sign-up', assertions: [{ type: 'otpPresent' }] } as const
    const { id: one } = await scenarios.create(twice)
    const { id: two } = await scenarios.create(twice)
    const several = `mayfly: 2 scenarios are named "sign-up": ${one}, ${two}.`
    for (const command of ['run', 'rm']) {
      const { code, err } = await shell.run('scenario', command, 'sign-up')
      assert.deepEqual([code, err], [2, `${several} Give an id instead.\n`])
    }
    const saved = await shell.run('scenario', 'save', 'sign-up', '--otp')
    const advice = 'Delete all but one: mayfly scenario rm ID'
    assert.deepEqual([saved.code, saved.err], [2, `${several} ${advice}\n`])
    assert.equal((await shell.run('scenario', 'rm', one)).code, 0)
    assert.equal((await shell.run('scenario', 'rm', 'sign-up')).code, 0)
  })
})

describe('mayfly diagnose', () => {
  it('tells the stages and what to do next', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    await shell.run('inbox', 'new', '--local-part', 'signup-ada')
    await service.sendMails([{ to: 'signup-adaa@mayfly.test' }])
    const { code, out } = await shell.run('diagnose')
    assert.equal(code, 0)
    assert.match(out, /^signup-ada@mayfly\.test is active\.\nIts domain mayfly\.test is active\.$/m)
    assert.match(out, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +near\.miss +.*signup-adaa/m)
    assert.match(out, /^What to do next:\n {2}- \S/m)
  })
})

describe('mayfly tail', () => {
  it('prints what happens, of one inbox alone when one is named', async () => {
    await using place = await signedUp()
    const { shell, service } = place
    const made = JSON.parse((await shell.run('inbox', 'new', '--json')).out)
    const other = JSON.parse((await shell.run('inbox', 'new', '--json')).out)
    const all = shell.start('tail', '--json')
    const one = shell.start('tail', made.id)
    await until(async () => (/Following/.test(all.err()) && /Following/.test(one.err())) || null)
    await service.sendMail({ to: other.emailAddress, subject: 'for another' })
    await service.sendMail({ to: made.emailAddress, subject: 'bell\x07' })
    await until(async () => (all.out().split('\n').length === 3 && one.out() !== '') || null)
    all.interrupt()
    one.interrupt()
    const events = (await all.outcome).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      events.map(({ type, inboxId }) => [type, inboxId]),
      [other.id, made.id].map((id) => ['message.received', id]),
    )
    const { out } = await one.outcome
    assert.equal(out, `message.received  ${made.emailAddress}  app@example.com  bell\n`)
  })
})
