import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { MailpitClient } from 'mailpit-api'
import { WebSocket } from 'ws'
import { send, sharedCatchAll } from './testing-catch-all.ts'

type Sent = { readonly Type: string; readonly Data: unknown }

describe("the events of Mailpit's WebSocket", () => {
  const catchAll = sharedCatchAll()

  it('are those of each call, each once', async () => {
    const { httpUrl, smtpPort } = await catchAll()
    const socket = new WebSocket(`${httpUrl.replace('http', 'ws')}/api/events`)
    const events: Sent[] = []
    socket.on('message', (data) => events.push(JSON.parse(String(data))))
    const until = async (type: string) => {
      const count = events.filter(({ Type }) => Type === type).length
      while (events.filter(({ Type }) => Type === type).length === count) {
        await once(socket, 'message')
      }
    }
    /** What a call causes, but for numbers of messages, which may come later. */
    const causedBy = async (call: () => Promise<unknown>, type: string) => {
      events.length = 0
      const arrived = until(type)
      await call()
      await arrived
      return events.filter(({ Type }) => Type !== 'stats')
    }
    await once(socket, 'open')
    const mailpit = new MailpitClient(httpUrl)
    const mail = { to: 'ada@elsewhere.example', text: 'x' }
    const [arrived] = await causedBy(() => send({ smtpPort }, mail), 'new')
    assert.ok(arrived)
    // The data of such an event.
    const { ID } = arrived.Data as { readonly ID: string }

    const setTags = () => mailpit.setTags({ IDs: [ID], Tags: ['b', 'a'] })
    assert.deepEqual(await causedBy(setTags, 'update'), [
      { Type: 'update', Data: { ID, Tags: ['a', 'b'] } },
    ])
    const prune = [{ Type: 'prune', Data: null }]
    assert.deepEqual(await causedBy(() => mailpit.renameTag('b', 'c'), 'prune'), prune)
    assert.deepEqual(await causedBy(() => mailpit.deleteTag('c'), 'prune'), prune)

    // The first mark also makes the service check the sender: that is no event.
    const both = async () => {
      await mailpit.setReadStatus({ IDs: [ID], Read: true })
      await send({ smtpPort }, mail)
    }
    const [update, another, ...others] = await causedBy(both, 'new')
    assert.deepEqual(update, { Type: 'update', Data: { ID, Read: true } })
    assert.deepEqual([another?.Type, others], ['new', []])

    const truncate = [{ Type: 'truncate', Data: null }]
    for (const _ of ['two messages', 'none']) {
      assert.deepEqual(await causedBy(() => mailpit.deleteMessages(), 'truncate'), truncate)
    }
    socket.close()
    await once(socket, 'close')
  })
})
