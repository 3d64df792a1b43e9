import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MailtrapClient } from 'mailtrap'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

/** The SDK has no option for its host. */
function clientOf(baseUrl: string, token: string, testInboxId?: number): MailtrapClient {
  const sandbox = testInboxId === undefined ? {} : { sandbox: true, testInboxId }
  const client = new MailtrapClient({ token, ...sandbox })
  return Object.assign(client, { determineHost: () => baseUrl.replace(/\/$/, '') })
}

const toMailtrap = ({ base64, ...mail }: TestMail) => ({
  ...{ from: mail.from, to: [...mail.to], cc: [...mail.cc], bcc: [...mail.bcc] },
  ...{ subject: mail.subject, text: mail.text, html: mail.html, category: 'signup' },
  custom_variables: { userId: '42' },
  attachments: [
    { filename: 'one.txt', content: base64, type: 'text/plain' },
    {
      ...{ filename: 'logo.png', content: base64, type: 'image/png' },
      ...{ disposition: 'inline' as const, content_id: 'logo.png' },
    },
  ],
})

type AxiosError = { readonly response: { readonly status: number; readonly data: unknown } }

describeProvider(
  {
    ...{ name: 'mailtrap', operation: 'POST /api/send', hasInline: true },
    send: async (baseUrl, key, mail) => {
      const { message_ids } = await clientOf(baseUrl, key).send(toMailtrap(mail))
      return String(message_ids[0])
    },
    errorOf: (error) => {
      assert.ok(error instanceof Error)
      // The SDK's own error has that of axios as its cause.
      const { response } = error.cause as AxiosError
      return { status: response.status, body: response.data }
    },
    ...{ tags: ['signup'], metadata: { userId: '42' }, unverifiedStatus: 403 },
    empty: { status: 400, text: /'text' or 'html' must be specified/ },
    noAddress: { status: 400, text: /'to\.0' address is invalid/ },
    wrongKey: { status: 401, text: /Unauthorized/ },
  },
  (shared, mail) => {
    const given = async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      return { inbox, key, baseUrl: `${service.httpUrl}/providers/mailtrap/` }
    }

    it('sends a batch, whose messages fail by themselves', async () => {
      const { inbox, key, baseUrl } = await given()
      const to = (email: string) => ({ to: [{ email }] })
      const sent = await clientOf(baseUrl, key).batchSend({
        base: { from: mail.from, subject: 'Hi', text: 'Hi' },
        requests: [to('a@example.com'), to('nobody'), { ...to('b@example.com'), subject: 'B' }],
      })
      assert.equal(sent.success, true)
      assert.deepEqual(
        sent.responses.map(({ success }) => success),
        [true, false, true],
      )
      assert.match(JSON.stringify(sent.responses[1]), /'to\.0' address is invalid/)
      const found = await inbox.waitForMessage({ q: 'to:b@example.com', timeoutSeconds: 5 })
      assert.equal(found.subject, 'B')
      const { events } = await inbox.diagnose()
      assert.equal(events.filter(({ stage }) => stage === 'provider.refused').length, 1)
    })

    it('takes any number of a sandbox, and renders templates', async () => {
      const { inbox, key, baseUrl } = await given()
      const client = clientOf(baseUrl, key, 4711)
      const email_template = { name: 'a', subject: 'For {{name}}', body_html: '<p>{{name}}</p>' }
      const created = await fetch(`${baseUrl}api/accounts/1/email_templates`, {
        method: 'POST',
        headers: { 'api-token': key, 'content-type': 'application/json' },
        body: JSON.stringify({ email_template }),
      })
      // The response has this body.
      const { uuid } = (await created.json()) as { uuid: string }
      const { message_ids } = await client.send({
        ...{ from: mail.from, to: [...mail.to], template_uuid: uuid },
        template_variables: { name: '<Ada>' },
      })
      const found = await inbox.waitForMessage({ timeoutSeconds: 5 })
      assert.deepEqual([found.subject, found.provider?.id], ['For <Ada>', message_ids[0]])
      assert.match(String(found.html), /&lt;Ada&gt;/)
    })
  },
)
