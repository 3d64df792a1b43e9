import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerAccountAt } from '../testing-account.ts'
import { first } from '../testing-first.ts'
import { LOOP_MS_MAX, readLoopMeter } from '../testing-loop-meter.ts'
import { startMeasuredServer } from '../testing-measured-server.ts'
import { readingCalls } from '../testing-read-mail.ts'
import { sendMails } from '../testing-send-mail.ts'
import { shared } from '../testing-shared.ts'
import { WORST_MAILS } from '../testing-worst-mails.ts'

// The short form of bench/worst-inputs.ts.
const CHARS = 500_000

describe('the worst mails', () => {
  const start = shared(async (resources) => {
    const { server, httpUrl, smtpPort } = await startMeasuredServer(resources, {
      MAYFLY_DEFAULT_PLAN: 'unlimited',
    })
    const api = await registerAccountAt(httpUrl)
    const receive = async (raw: string) => {
      const inbox = await api.inboxes.create()
      await sendMails(smtpPort, [{ to: inbox.emailAddress, raw }])
      const { id } = first((await inbox.listMessages()).messages)
      return { inboxId: inbox.id, messageId: id }
    }
    // The first calls load modules and start the content thread, whatever the mail.
    const small = await receive('Content-Type: text/html\r\n\r\n<p>Your code is 481516.</p>')
    for (const run of Object.values(readingCalls(api, small))) await run()
    return { server, api, receive }
  })

  const names = [
    'open tags',
    'unclosed items',
    'svg with styles',
    'text: one letter',
    'text: quotes',
    'archives: one bomb named 200 times',
  ]
  for (const { name, raw } of WORST_MAILS.filter((mail) => names.includes(mail.name))) {
    it(`do not hold the API: ${name}`, async () => {
      const { server, api, receive } = await start()
      const ref = await receive(raw(CHARS))
      await readLoopMeter(server)
      for (const [call, run] of Object.entries(readingCalls(api, ref))) {
        await run()
        const loopMs = await readLoopMeter(server)
        assert.ok(loopMs < LOOP_MS_MAX, `${call}: ${loopMs} ms`)
      }
    })
  }
})
