import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startCatchAll } from '../compat/testing-catch-all.ts'
import { first } from '../testing-first.ts'

const MiB = 1024 * 1024

/** In JSON it would be 24 MiB: six bytes for each of its characters. */
const RAW = `Subject: controls\r\n\r\n${`${'\x01'.repeat(1022)}\r\n`.repeat(4 * 1024)}`

describe('a mail of control characters', () => {
  it('is no larger in any JSON than in itself', async () => {
    await using service = await startCatchAll()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, raw: RAW })
    await service.sendMail({ to: 'anybody@example.com', raw: RAW })
    const { id } = first((await inbox.listMessages()).messages)
    const path = `/v1/inboxes/${inbox.id}`

    const { text, body } = await dev.get(`${path}/messages/${id}`)
    assert.ok(text.length < 3 * MiB, `${text.length} bytes`)
    assert.ok(body.text.length <= 2 * MiB && body.text.length > MiB)
    assert.match(body.text, /^[ \r\n]+$/)
    assert.match(body.defects.join(), /longer than 2 MiB.*raw.*control characters/)
    assert.ok((await dev.get(`${path}/wait`)).text.length < 3 * MiB)
    const raw = await dev.get(`${path}/messages/${id}/raw`)
    assert.ok(raw.text.endsWith(RAW))

    for (const [view, bytesMax] of [
      ['/api/v1/message/latest', 3 * MiB],
      ['/email', 3 * MiB],
      ['/api/v2/messages', 9 * MiB],
    ] as const) {
      const shown = await service.anonymous.get(view)
      assert.equal(shown.status, 200)
      assert.ok(shown.text.length < bytesMax, `${view}: ${shown.text.length} bytes`)
      assert.doesNotMatch(shown.text, /\\u00/)
    }
  })
})
