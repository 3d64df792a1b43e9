import assert from 'node:assert/strict'
import { it } from 'node:test'
import { EmailParams, MailerSend } from 'mailersend'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

/** The SDK has no option for its URL. */
function clientOf(baseUrl: string, apiKey: string) {
  const { email } = new MailerSend({ apiKey })
  // Private in its types.
  Object.assign(email, { baseUrl: `${baseUrl}v1` })
  return email
}

const toMailerSend = ({ from, to, cc, bcc, subject, text, html, base64 }: TestMail) =>
  new EmailParams({
    ...{ from, to: [...to], cc: [...cc], bcc: [...bcc], subject, text, html, tags: ['signup'] },
    attachments: [
      { content: base64, filename: 'one.txt', disposition: 'attachment' },
      { content: base64, filename: 'logo.png', disposition: 'inline', id: 'logo.png' },
    ],
  })

type Thrown = { readonly statusCode: number; readonly body: unknown }

describeProvider(
  {
    ...{ name: 'mailersend', operation: 'POST /v1/email', hasInline: true },
    send: async (baseUrl, key, mail) => {
      const { headers } = await clientOf(baseUrl, key).send(toMailerSend(mail))
      return String(headers['x-message-id'])
    },
    errorOf: (error) => {
      // As the SDK throws it.
      const { statusCode, body } = error as Thrown
      return { status: statusCode, body }
    },
    ...{ tags: ['signup'], metadata: {}, unverifiedStatus: 422 },
    empty: { status: 422, text: /"errors":\{"text":\[/ },
    noAddress: { status: 422, text: /"to\.0\.email":\["The to\.0\.email must be a valid email/ },
    wrongKey: { status: 401, text: /Unauthenticated/ },
  },
  (shared, mail) => {
    it('sends lists, with the data of each recipient', async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const client = clientOf(`${service.httpUrl}/providers/mailersend/`, key)
      const personal = new EmailParams({
        ...{ from: mail.from, subject: 'For {{ name }}', html: '<p>{{ name }}</p>' },
        to: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
        personalization: [
          { email: 'a@example.com', data: { name: '<Ada>' } },
          { email: 'b@example.com', data: { name: 'Bob' } },
        ],
      })
      const { statusCode, body } = await client.sendBulk([personal, toMailerSend(mail)])
      assert.equal(statusCode, 202)
      const first = await inbox.waitForMessage({ q: 'subject:Ada', timeoutSeconds: 5 })
      assert.deepEqual([first.subject, first.provider?.id], ['For <Ada>', body.bulk_email_id])
      assert.match(String(first.html), /&lt;Ada&gt;/)
      await inbox.waitForMessage({ q: 'to:b@example.com subject:Bob', timeoutSeconds: 5 })
      await inbox.waitForMessage({ q: 'to:ada@example.com', timeoutSeconds: 5 })
      const status = await client.getBulkStatus(body.bulk_email_id)
      assert.equal(status.body.data.state, 'completed')
    })
  },
)
