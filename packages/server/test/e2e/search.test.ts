import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestAccount } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

onEachDatabase('searching an inbox', (create) => {
  const shared = sharedService(create)

  it('lists what matches, newest first, page by page', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    for (let number = 1; number <= 7; number += 1) {
      const subject = number % 2 === 0 ? `Even ${number}` : `Odd ${number}`
      await service.sendMail({ to: inbox.emailAddress, subject, text: `Grüße ${number}` })
    }
    const subjects = async (options: { q: string; limit?: number; cursor?: string }) => {
      const { messages, nextCursor } = await inbox.listMessages(options)
      return { subjects: messages.map(({ subject }) => subject), nextCursor }
    }
    assert.deepEqual(await subjects({ q: 'subject:odd -"grüße 7" GRUSSE' }), {
      subjects: ['Odd 5', 'Odd 3', 'Odd 1'],
      nextCursor: null,
    })
    const first = await subjects({ q: 'subject:odd', limit: 2 })
    assert.deepEqual(first.subjects, ['Odd 7', 'Odd 5'])
    // Pages stay stable while mail arrives.
    await service.sendMail({ to: inbox.emailAddress, subject: 'Odd 9' })
    const cursor = first.nextCursor ?? ''
    assert.deepEqual(await subjects({ q: 'subject:odd', limit: 2, cursor }), {
      subjects: ['Odd 3', 'Odd 1'],
      nextCursor: null,
    })
    assert.deepEqual(await subjects({ q: 'nothing' }), { subjects: [], nextCursor: null })
  })

  it('searches what the mail has, and its state in the inbox', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const to = inbox.emailAddress
    const raw = [
      `From: Acme <no-reply@acme.example>`,
      `To: Ada <${to}>`,
      'Subject: Welcome',
      'List-Id: <news.acme.example>',
      'Content-Type: text/html',
      '',
      '<p>Your code is <b>481516</b>. <a href="https://app.acme.example/go">Sign in</a></p>',
    ].join('\r\n')
    await service.sendMail({ to: to.replace('@', '+smoke@'), raw })
    await service.sendMail({ to, subject: 'Other' })
    const found = async (q: string) =>
      (await inbox.listMessages({ q })).messages.map(({ subject }) => subject)
    for (const q of [
      'from:acme.example',
      'to:ada',
      'tag:smoke',
      'header:list-id=news',
      'has:html',
      'otp:481516',
      'link:acme.example',
      '"code is 481516"',
      `in:${inbox.id} welcome`,
    ]) {
      assert.deepEqual(await found(q), ['Welcome'], q)
    }
    assert.deepEqual(await found('-from:acme'), ['Other'])
    const [other] = (await inbox.listMessages({ q: 'other' })).messages
    await inbox.markRead(other?.id ?? '')
    assert.deepEqual(await found('is:unread'), ['Welcome'])
    assert.deepEqual(await found('is:read'), ['Other'])
  })

  it('waits for a message that matches', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const to = inbox.emailAddress
    await service.sendMail({ to, subject: 'Welcome' })
    const waiting = inbox.waitForMessage({ q: 'subject:receipt "in total 5"', timeoutSeconds: 20 })
    await service.sendMail({ to, subject: 'Receipt', text: 'Nothing yet.' })
    await service.sendMail({ to, subject: 'Receipt', text: 'In total 5 EUR.' })
    assert.match(String((await waiting).text), /In total 5/)
    const path = `/v1/inboxes/${inbox.id}/wait?timeoutSeconds=0&q=`
    const { status, body } = await dev.get(`${path}${encodeURIComponent('from:app otp:any')}`)
    assert.equal(status, 408)
    assert.equal(body.diagnostics.considered[0].reason, 'it does not match otp:any')
  })

  it('refuses a query that is not valid', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const path = `/v1/inboxes/${inbox.id}`
    for (const q of ['larger:tall', 'is:red', 'a '.repeat(21), 'a'.repeat(501), '']) {
      for (const route of ['messages?', 'wait?timeoutSeconds=0&']) {
        const { status, body } = await dev.get(`${path}/${route}q=${encodeURIComponent(q)}`)
        assert.equal(status, 400, q)
        assert.equal(body.error.code, 'invalid_parameter')
        assert.match(body.error.message, /^q: /)
      }
    }
  })

  it('does not search the inbox of another account', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Secret' })
    const { status, body } = await other.get(`/v1/inboxes/${inbox.id}/messages?q=secret`)
    assert.deepEqual([status, body.error.code], [404, 'inbox_not_found'])
  })
})

/** All pages of a search. */
async function searchAll(dev: TestAccount, q: string, limit = 100): Promise<(string | null)[]> {
  return Array.fromAsync(dev.search(q, { limit }), ({ subject }) => subject)
}

onEachDatabase('searching an account', (create) => {
  const shared = sharedService(create)

  it('finds mail of all inboxes at once, before and after it is in the index', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const [first, second] = [await dev.inboxes.create(), await dev.inboxes.create()]
    const foreign = await other.inboxes.create()
    await service.sendMail({ to: first.emailAddress, subject: 'One', text: 'Grüße aus Zürich' })
    await service.sendMail({ to: foreign.emailAddress, subject: 'X', text: 'Grüße aus Zürich' })
    await service.sendMail({ to: second.emailAddress, subject: 'Two', text: 'Grüße aus Wien' })
    const check = async () => {
      assert.deepEqual(await searchAll(dev, 'grusse'), ['Two', 'One'])
      assert.deepEqual(await searchAll(dev, '"aus zurich"'), ['One'])
      assert.deepEqual(await searchAll(dev, 'zü'), ['One'])
      assert.deepEqual(await searchAll(dev, 'subject:two -zürich'), ['Two'])
      assert.deepEqual(await searchAll(dev, `grüße in:${second.emailAddress}`), ['Two'])
      assert.deepEqual(await searchAll(dev, 'is:unread larger:10'), ['Two', 'One'])
      assert.deepEqual(await searchAll(dev, 'nothing'), [])
      const { messages } = await dev.search('zürich')
      assert.deepEqual(
        messages.map(({ inboxId, subject }) => [inboxId, subject]),
        [[first.id, 'One']],
      )
    }
    const before = new Date().toISOString()
    await check()
    await until(async () => ((await dev.search('grusse')).indexedUntil > before ? true : null))
    await check()
    await first.delete()
    assert.deepEqual(await searchAll(dev, 'grusse'), ['Two'])
  })

  it('finds what comes after a mail with a NUL in a header', async () => {
    const service = await shared()
    const dev = await service.register()
    const { emailAddress: to } = await dev.inboxes.create()
    await service.sendMail({ to, raw: `To: "a\0b" <${to}>\r\nSubject: First\r\n\r\nGrüße\r\n` })
    await service.sendMail({ to, subject: 'Second', text: 'Grüße' })
    const asked = new Date().toISOString()
    await until(async () => ((await dev.search('grusse')).indexedUntil > asked ? true : null))
    assert.deepEqual(await searchAll(dev, 'grusse'), ['Second', 'First'])
  })

  it('neither skips nor repeats a message when the index grows between two pages', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const subjects = Array.from({ length: 12 }, (_, i) => `Mail ${i + 1}`)
    for (const subject of subjects) await service.sendMail({ to: inbox.emailAddress, subject })
    const first = await dev.search('mail', { limit: 5 })
    const asked = new Date().toISOString()
    await until(async () => ((await dev.search('mail')).indexedUntil > asked ? true : null))
    await service.sendMail({ to: inbox.emailAddress, subject: 'Mail later' })
    const second = await dev.search('mail', { limit: 5, cursor: first.nextCursor ?? '' })
    const third = await dev.search('mail', { limit: 5, cursor: second.nextCursor ?? '' })
    assert.deepEqual(
      [first, second, third].flatMap(({ messages }) => messages.map(({ subject }) => subject)),
      subjects.toReversed(),
    )
  })

  it('reads messages one by one without the index', async () => {
    await using database = await create()
    const env = { MAYFLY_SEARCH_INDEX: 'false' }
    await using service = await startService({ database, env })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Welcome' })
    assert.deepEqual(await searchAll(dev, 'welcome'), ['Welcome'])
  })

  it('refuses what is not valid', async () => {
    const service = await shared()
    const dev = await service.register()
    for (const query of ['', 'q=', 'q=larger:tall', 'q=a&limit=101', 'q=a&cursor=x', 'q=a&b=c']) {
      const { status, body } = await dev.get(`/v1/search?${query}`)
      assert.deepEqual([status, body.error.code], [400, 'invalid_parameter'], query)
    }
  })
})
