import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type AccountEventType, accountEventSchemas } from '@mayfly/contract'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { type EventReader, openEvents, type StreamedEvent } from '../testing-event-stream.ts'
import { createReceivers } from '../testing-receiver.ts'
import { sharedService, startService } from '../testing-start-service.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

onEachDatabase('the event stream of an account', (create, name) => {
  const shared = sharedService(create)

  it('tells of inboxes and messages of the account, and of no other', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const foreign = (await other.post('/v1/inboxes')).body.inbox
    const early = (await dev.post('/v1/inboxes')).body.inbox
    await service.sendMail({ to: early.emailAddress, subject: 'before' })

    await using events = await openEvents(dev)
    const { inbox } = (await dev.post('/v1/inboxes')).body
    // Of this type: the verdict on the sender of the first mail may come at any time.
    const created = await events.next('inbox.created')
    assert.deepEqual(created.data, { inbox })
    await service.sendMail({ to: foreign.emailAddress, subject: 'not yours' })
    await service.sendMail({ to: [inbox.emailAddress, early.emailAddress], subject: 'hello' })
    const path = `/v1/inboxes/${inbox.id}/messages`
    const received = [await events.next('message.received'), await events.next('message.received')]
    assert.deepEqual(
      received.map(({ data }) => [data.inboxId, data.message.subject]).sort(),
      [inbox.id, early.id].sort().map((id) => [id, 'hello']),
    )
    const [message] = (await dev.get(path)).body.messages
    const own = received.find(({ data }) => data.inboxId === inbox.id)
    assert.deepEqual(own?.data.message, message)
    assert.deepEqual(own?.data.inbox, { messageCount: 1, unreadCount: 1 })

    const rawBody = JSON.stringify({ read: true })
    await dev.send('PATCH', `${path}/${message.id}`, { rawBody, headers: JSON_TYPE })
    const updated = await nextRead(events)
    assert.deepEqual(updated.data, {
      inboxId: inbox.id,
      inbox: { messageCount: 1, unreadCount: 0 },
      message: { ...message, read: true },
    })
    await dev.delete(`${path}/${message.id}`)
    const deleted = await events.next('message.deleted')
    assert.deepEqual(deleted.data, {
      inboxId: inbox.id,
      inbox: { messageCount: 0, unreadCount: 0 },
      messageIds: [message.id],
    })
    await dev.delete(`/v1/inboxes/${inbox.id}`)
    const gone = await events.next('inbox.deleted')
    assert.deepEqual(gone.data, { inboxId: inbox.id })
  })

  it('tells of the messages that a catch-all inbox drops', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { catchAll: true, keepMessages: 2 })).body
    const path = `/v1/inboxes/${inbox.id}/messages`
    const send = (subjects: readonly string[]) =>
      service.sendMails(subjects.map((subject) => ({ to: inbox.emailAddress, subject })))
    await send(['one', 'two'])
    const old = (await dev.get(path)).body.messages.map(({ id }: { id: string }) => id)
    await using events = await openEvents(dev)
    await send(['three', 'four'])
    const dropped: string[] = []
    while (dropped.length < old.length) {
      const { data } = await events.next('message.deleted')
      assert.equal(data.inboxId, inbox.id)
      assert.equal(data.inbox.messageCount, 2)
      dropped.push(...data.messageIds)
    }
    assert.deepEqual(dropped.sort(), old.sort())
  })

  it('tells of refusals and near misses', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { localPart: `seen-${name}` })).body
    await using events = await openEvents(dev)
    await service.sendMails([{ to: inbox.emailAddress.replace('seen', 'sen') }])
    const { type, data } = await events.next()
    assert.deepEqual([type, data.inboxId, data.event.stage], ['diagnostics', inbox.id, 'near.miss'])
    const known = (await dev.get(`/v1/inboxes/${inbox.id}/diagnostics`)).body.events
    assert.deepEqual(data.event, known.at(-1))
  })

  it('tells of waits, those first that are held already', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await using early = await openEvents(dev)
    const waiting = dev.get(`/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=40`)
    const started = await early.next('wait.started')
    const { wait } = started.data
    assert.deepEqual([wait.inboxId, wait.for], [inbox.id, 'otp'])
    const leftMs = Date.parse(wait.deadline) - Date.now()
    // The service goes by the database's clock, which may be some milliseconds ahead.
    assert.ok(leftMs > 20_000 && leftMs < 41_000, `${leftMs}`)

    await using late = await openEvents(dev)
    const held = await late.next()
    assert.deepEqual([held.type, held.data], ['wait.started', { wait }])
    await service.sendMail({ to: inbox.emailAddress, text: 'Your verification code is 481516.' })
    assert.equal((await waiting).body.otp.value, '481516')
    for (const events of [early, late]) {
      assert.deepEqual((await events.next('wait.ended')).data, { wait })
    }
    // A wait that finds its mail at once was never held.
    await dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=5`)
    await dev.delete(`/v1/inboxes/${inbox.id}`)
    assert.equal((await late.next('wait.started', 'inbox.deleted')).type, 'inbox.deleted')
  })

  it('tells of each attempt of a delivery', async () => {
    await using receivers = await createReceivers()
    const receiver = await receivers.open(204)
    await using database = await create()
    await using service = await startService({ database, env: receivers.env })
    const dev = await service.register()
    await dev.post('/v1/webhooks', { url: receiver.url })
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await using events = await openEvents(dev)
    await service.sendMail({ to: inbox.emailAddress, subject: 'pushed' })
    const { delivery } = (await events.next('delivery.updated')).data
    assert.deepEqual(
      [delivery.status, delivery.inboxId, delivery.attempts.length],
      ['succeeded', inbox.id, 1],
    )
    assert.deepEqual((await dev.get('/v1/webhooks/deliveries')).body.deliveries, [delivery])
  })

  it('tells that an inbox has expired', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { ttlSeconds: 600 })).body
    await using events = await openEvents(dev)
    clock.ms += 600_000
    assert.deepEqual((await events.next()).data, { inboxId: inbox.id })
  })

  it('resumes after an event, or says that it cannot', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const send = (subject: string) => service.sendMail({ to: inbox.emailAddress, subject })
    const first = await openEvents(dev)
    await send('one')
    await send('two')
    const { id } = await first.next('message.received')
    await first[Symbol.asyncDispose]()
    await send('three')

    await using again = await openEvents(dev, { lastEventId: id })
    const subjects = [await again.next('message.received'), await again.next('message.received')]
    assert.deepEqual(
      subjects.map(({ data }) => data.message.subject),
      ['two', 'three'],
    )
    for (const lastEventId of ['unknown', `${id}0`, id.replace(/^./, '~')]) {
      await using lost = await openEvents(dev, { lastEventId })
      const reset = await lost.next()
      assert.deepEqual([reset.type, reset.data], ['reset', { reason: 'not_resumable' }])
      await using after = await openEvents(dev, { lastEventId: reset.id })
      await send('four')
      assert.equal((await after.next()).data.message.subject, 'four')
    }
  })

  it('tells of one inbox, and ends with it', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const made = async (account: typeof dev) => (await account.post('/v1/inboxes')).body.inbox
    const [inbox, beside, foreign] = [await made(dev), await made(dev), await made(other)]
    for (const id of ['inb_nothing', foreign.id]) {
      const { status, body } = await dev.get(`/v1/events?inbox=${id}`)
      assert.deepEqual([status, body.error.code], [404, 'inbox_not_found'])
    }
    const waiting = (id: string) => dev.get(`/v1/inboxes/${id}/wait?for=otp&timeoutSeconds=1`)
    const send = (subject: string) =>
      service.sendMail({ to: [beside.emailAddress, inbox.emailAddress], subject })
    const path = `/v1/events?inbox=${inbox.id}`
    await using all = await openEvents(dev)
    const first = await openEvents(dev, { path })
    const waits = [waiting(beside.id), waiting(inbox.id)]
    await send('one')
    const { id, data } = await first.next('message.received')
    assert.deepEqual([data.inboxId, data.message.subject], [inbox.id, 'one'])
    await Promise.all(waits)
    await first[Symbol.asyncDispose]()
    await send('two')
    await all.next('message.received')

    await using again = await openEvents(dev, { path, lastEventId: id })
    assert.equal((await again.next('message.received')).data.message.subject, 'two')
    await dev.delete(`/v1/inboxes/${beside.id}`)
    await dev.delete(`/v1/inboxes/${inbox.id}`)
    const rest = await again.rest()
    assert.deepEqual(rest.at(-1)?.data, { inboxId: inbox.id })
    const about = rest.map(({ data }) => data.inboxId ?? data.wait.inboxId)
    assert.deepEqual(new Set(about), new Set([inbox.id]))
    assert.equal((await dev.get(path)).status, 404)
  })

  it('sends what the contract says', async () => {
    const service = await shared()
    const dev = await service.register()
    await using events = await openEvents(dev)
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await service.sendMail({ to: inbox.emailAddress })
    await dev.get(`/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=1`)
    await dev.delete(`/v1/inboxes/${inbox.id}/messages`)
    await dev.delete(`/v1/inboxes/${inbox.id}`)
    const types = new Set<string>()
    while (!types.has('inbox.deleted')) {
      const { type, data } = await events.next()
      // The types that the contract names are the only ones.
      assert.deepEqual(accountEventSchemas[type as AccountEventType].strict().parse(data), data)
      types.add(type)
    }
    assert.ok(types.size >= 5, [...types].join())
  })

  it('counts as a wait, and ends with its key', async () => {
    await using database = await create()
    await using service = await startService({
      database,
      env: { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: 'requestsPerMinute=none' },
    })
    const dev = await service.register()
    const issued = (await dev.post('/v1/keys', { name: 'page' })).body
    const page = dev.withKey(issued.apiKey)
    await using one = await openEvents(page)
    const two = await openEvents(page)
    const third = await dev.get('/v1/events')
    assert.deepEqual([third.status, third.body.error.code], [429, 'concurrent_waits_exceeded'])
    await two[Symbol.asyncDispose]()
    assert.equal((await dev.send('HEAD', '/v1/events')).status, 405)
    await dev.delete(`/v1/keys/${issued.key.id}`)
    assert.deepEqual(await one.rest(), [])
    assert.equal((await page.get('/v1/events')).status, 401)
  })

  if (name === 'PostgreSQL') {
    it('tells on one node what happens on another', async () => {
      await using database = await create()
      await using one = await startService({ database })
      await using two = await startService({ database })
      const dev = await one.register()
      const there = two.anonymous.withKey(String(dev.key))
      const { inbox } = (await dev.post('/v1/inboxes')).body
      const waiting = there.get(`/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=20`)
      await using events = await openEvents(dev)
      // Held on the other node, before or after the stream began.
      const { wait } = (await events.next('wait.started')).data
      await two.sendMail({ to: inbox.emailAddress, text: 'Your verification code is 481516.' })
      // One is found in the store and the other sent by the other node: either may come first.
      const both = [
        await events.next('message.received', 'wait.ended'),
        await events.next('message.received', 'wait.ended'),
      ]
      const dataOf = (type: string) => both.find((event) => event.type === type)?.data
      const { message } = dataOf('message.received')
      assert.deepEqual(dataOf('wait.ended'), { wait })
      assert.equal((await waiting).status, 200)
      const path = `/v1/inboxes/${inbox.id}/messages`
      const rawBody = JSON.stringify({ read: true })
      await there.send('PATCH', `${path}/${message.id}`, { rawBody, headers: JSON_TYPE })
      const updated = await nextRead(events)
      assert.equal(updated.data.message.id, message.id)
      await there.delete(path)
      assert.deepEqual((await events.next('message.deleted')).data.messageIds, [message.id])
      const made = (await there.post('/v1/inboxes')).body.inbox
      assert.deepEqual((await events.next('inbox.created')).data.inbox, made)

      const project = (await there.post('/v1/inboxes', { catchAll: true, keepMessages: 1 })).body
      await two.sendMail({ to: project.inbox.emailAddress, subject: 'old' })
      const old = (await events.next('message.received')).data.message
      await two.sendMail({ to: project.inbox.emailAddress, subject: 'new' })
      assert.deepEqual((await events.next('message.deleted')).data.messageIds, [old.id])
    })
  }
})

/** The update that a message was read. The sender checks' verdict is an update too. */
async function nextRead(events: EventReader): Promise<StreamedEvent> {
  const updated = await events.next('message.updated')
  return updated.data.message.read ? updated : nextRead(events)
}
