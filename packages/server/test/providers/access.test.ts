import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { PROVIDERS as KNOWN } from '@mayfly/client/internal'
import { Resend } from 'resend'
import { PROVIDERS } from '../../src/providers/registry.ts'
import { startService } from '../testing-start-service.ts'

const MAIL = { from: 'app@acme.example', to: 'a@example.com', subject: 'Hi', text: 'Hi' }

describe("the key of a provider's call", () => {
  it('is any text where a catch-all inbox takes mail without credentials', async () => {
    const env = { MAYFLY_CATCH_ALL: 'on' }
    await using service = await startService({ env, hasLocalAccount: true })
    const resend = (key: string) =>
      new Resend(key, { baseUrl: `${service.httpUrl}/providers/resend/` })
    assert.equal((await resend('re_123').emails.send(MAIL)).error, null)
    const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'unknown' }
    const endpoint = `${service.httpUrl}/providers/ses/`
    await new SESv2Client({ endpoint, region: 'us-east-1', credentials }).send(
      new SendEmailCommand({
        FromEmailAddress: MAIL.from,
        Destination: { ToAddresses: [MAIL.to] },
        Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hi' } } } },
      }),
    )
    const { body } = await service.anonymous.get('/api/v1/messages')
    assert.equal(body.total, 2)
    // A Mayfly key that is wrong is no such text.
    const wrong = `mf_live_${'x'.repeat(43)}`
    assert.equal((await resend(wrong).emails.send(MAIL)).error?.name, 'invalid_api_key')
  })

  it('counts against the rate of its account, with the headers of the provider', async () => {
    const env = { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: 'requestsPerMinute=4' }
    await using service = await startService({ env })
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ catchAll: true })
    const url = `${service.httpUrl}/providers/resend/`
    const resend = new Resend(`${dev.key}.${inbox.id}`, { baseUrl: url })
    const first = await resend.emails.send(MAIL)
    assert.equal(first.headers?.['ratelimit-limit'], '4')
    await resend.emails.send(MAIL)
    await resend.emails.send(MAIL)
    const { error, headers } = await resend.emails.send(MAIL)
    assert.equal(error?.name, 'rate_limit_exceeded')
    assert.equal(headers?.['ratelimit-remaining'], '0')
    assert.match(String(headers?.['retry-after']), /^\d+$/)
  })
})

describe('the command line and the dashboard', () => {
  it('know every provider that is served', () => {
    const names = KNOWN.map((name) => name.toLowerCase())
    assert.deepEqual(names.toSorted(), PROVIDERS.map(({ name }) => name).toSorted())
  })
})
