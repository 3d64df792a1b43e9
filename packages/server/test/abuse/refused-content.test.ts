import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { first } from '../testing-first.ts'
import { startService } from '../testing-start-service.ts'
import { openSocket } from './testing-raw-socket.ts'

describe('commands in refused content', { timeout: 120_000 }, () => {
  it('are never run, whatever the content is refused for', async () => {
    await using service = await startService()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const hidden = `MAIL FROM:<hidden@b.example>\r\nRCPT TO:<${inbox.emailAddress}>\r\nDATA\r\nhidden\r\n`
    const start = `MAIL FROM:<a@b.example>\r\nRCPT TO:<${inbox.emailAddress}>\r\n`
    const nobody = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<nobody@mayfly.test>\r\n'
    const huge = 'x'.repeat(26 * 1024 * 1024)
    const dialogues: readonly (readonly [string, string])[] = [
      // A size that is declared, and too large: DATA is not begun.
      ['MAIL FROM:<a@b.example> SIZE=99999999999\r\n', '552'],
      [`${start}DATA\r\n${huge}\r\n${hidden}.\r\n`, '552'],
      [`${start}BDAT ${hidden.length} WRONG\r\n${hidden}`, '501'],
      [`${nobody}BDAT ${hidden.length} LAST\r\n${hidden}`, '503|554'],
      [`${nobody}BDAT ${hidden.length}\r\n${hidden}BDAT 0 LAST\r\n`, '503|554'],
      [`BDAT ${hidden.length} LAST\r\n${hidden}`, '503'],
    ]
    for (const [dialogue, code] of dialogues) {
      using client = await openSocket(service.smtpPort)
      client.send(`EHLO a\r\n${dialogue}QUIT\r\n`)
      const replies = await client.ended()
      assert.match(replies, new RegExp(`^(?:${code}) `, 'm'), dialogue.slice(0, 200))
    }
    assert.deepEqual((await inbox.listMessages()).messages, [])
    await service.sendMail({ to: inbox.emailAddress, subject: 'real' })
    assert.equal(first((await inbox.listMessages()).messages).subject, 'real')
  })
})
