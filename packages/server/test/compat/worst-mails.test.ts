import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { LOOP_MS_MAX, readLoopMeter } from '../testing-loop-meter.ts'
import { startMeasuredServer } from '../testing-measured-server.ts'
import { sendMails } from '../testing-send-mail.ts'
import { shared } from '../testing-shared.ts'
import { WORST_MAILS } from '../testing-worst-mails.ts'

const CHARS = 500_000

const ALMOST = `${'a'.repeat(250)}b${'a'.repeat(249)}`

const PATHS = [
  '/api/v1/messages',
  `/api/v1/search?query=${ALMOST}`,
  '/api/v1/message/latest',
  '/api/v1/message/latest/headers',
  '/api/v1/message/latest/raw',
  '/api/v1/message/latest/html-check',
  '/view/latest.html',
  '/view/latest.txt',
  '/api/v2/messages',
  `/api/v2/search?kind=containing&query=${ALMOST}`,
  '/mailhog/api/v1/messages',
  '/email',
  `/email?subject=${ALMOST}`,
]

describe('the worst mails, by the APIs of mail catchers', () => {
  const start = shared(async (resources) => {
    const { server, httpUrl, smtpPort } = await startMeasuredServer(resources, {
      MAYFLY_CATCH_ALL: 'on',
    })
    const api = createApiClient(httpUrl, null)
    const receive = (raw: string) => sendMails(smtpPort, [{ to: 'ada@elsewhere.example', raw }])
    // The first calls load modules and start the content thread, whatever the mail.
    await receive('Content-Type: text/html\r\n\r\n<p>Hello</p>')
    for (const path of PATHS) await api.get(path)
    return { server, api, receive }
  })

  const names = ['open tags', 'svg with styles', 'text: one letter']
  for (const { name, raw } of WORST_MAILS.filter((mail) => names.includes(mail.name))) {
    it(`do not hold the API: ${name}`, async () => {
      const { server, api, receive } = await start()
      await receive(raw(CHARS))
      await readLoopMeter(server)
      for (const path of PATHS) {
        const { status } = await api.get(path)
        assert.ok(status < 500, `${path}: ${status}`)
        const loopMs = await readLoopMeter(server)
        assert.ok(loopMs < LOOP_MS_MAX, `${path}: ${loopMs} ms`)
      }
    })
  }
})
