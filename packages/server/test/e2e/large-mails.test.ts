import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { LOOP_MS_MAX, readLoopMeters } from '../testing-loop-meter.ts'
import { startMeasuredServer } from '../testing-measured-server.ts'
import { sendMails } from '../testing-send-mail.ts'
import { shared } from '../testing-shared.ts'

const MiB = 1024 * 1024

const LARGE_MAILS: Readonly<Record<string, string>> = {
  'flowed text': `Content-Type: text/plain; format=flowed\r\n\r\n${'> quoted \r\n'.repeat((24 * MiB) / 11)}`,
  HTML: `Content-Type: text/html\r\n\r\n${'&amp'.repeat(4 * MiB)}`,
}

describe('large mails', { timeout: 120_000 }, () => {
  const start = shared(async (resources) => {
    const { server, httpUrl, smtpPort } = await startMeasuredServer(resources, {
      MAYFLY_DEFAULT_PLAN: 'unlimited',
    })
    const anonymous = createApiClient(httpUrl, null)
    const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'a@example.com' })).body
    const longestTurns = () => readLoopMeters(server, ['receiving-thread', 'composing-thread'])
    return { api: anonymous.withKey(apiKey), smtpPort, longestTurns }
  })

  for (const [name, raw] of Object.entries(LARGE_MAILS)) {
    it(`do not hold the dialogues of other senders: ${name}`, async () => {
      const { api, smtpPort, longestTurns } = await start()
      const { inbox } = (await api.post('/v1/inboxes')).body
      const to = inbox.emailAddress
      // Code that runs for the first time takes longer.
      const mails = [
        { to, subject: 'Small' },
        { to, raw: `Subject: Medium\r\n${raw.slice(0, MiB)}` },
      ]
      await sendMails(smtpPort, mails)
      await longestTurns()
      const [answer] = await sendMails(smtpPort, [{ to, raw: `Subject: Large\r\n${raw}` }])
      assert.match(answer?.mail ?? '', /^250/)
      const [receivingMs = 0, composingMs = 0] = await longestTurns()
      assert.ok(receivingMs < composingMs, `${receivingMs} ms and ${composingMs} ms`)
      assert.ok(receivingMs < LOOP_MS_MAX, `${receivingMs} ms of the thread that receives`)
      const { messages } = (await api.get(`/v1/inboxes/${inbox.id}/messages`)).body
      assert.deepEqual(
        messages.map(({ subject }: { subject: string }) => subject),
        ['Large', 'Medium', 'Small'],
      )
    })
  }
})
