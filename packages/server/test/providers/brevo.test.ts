import assert from 'node:assert/strict'
import { it } from 'node:test'
import { BrevoClient, BrevoError } from '@getbrevo/brevo'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

const clientOf = (baseUrl: string, apiKey: string) =>
  new BrevoClient({ apiKey, baseUrl: `${baseUrl}v3`, maxRetries: 0 }).transactionalEmails

function toBrevo({ from, to, cc, bcc, subject, text, html, base64 }: TestMail) {
  return {
    ...{ sender: from, to: [...to], subject, textContent: text, htmlContent: html },
    ...(cc.length > 0 ? { cc: [...cc] } : {}),
    ...(bcc.length > 0 ? { bcc: [...bcc] } : {}),
    tags: ['signup'],
    headers: { 'X-Mailin-custom': '{"userId":"42"}' },
    attachment: ['one.txt', 'logo.png'].map((name) => ({ name, content: base64 })),
  }
}

describeProvider(
  {
    ...{ name: 'brevo', operation: 'POST /v3/smtp/email', hasInline: false },
    send: async (baseUrl, key, mail) => {
      const sent = await clientOf(baseUrl, key).sendTransacEmail(toBrevo(mail))
      return String(sent.messageId)
    },
    errorOf: (error) => {
      assert.ok(error instanceof BrevoError)
      return { status: error.statusCode, body: error.body }
    },
    ...{ tags: ['signup'], metadata: { userId: '42' }, unverifiedStatus: 400 },
    empty: { status: 400, text: /missing_parameter/ },
    noAddress: { status: 400, text: /email is not valid in to/ },
    wrongKey: { status: 401, text: /"code":"unauthorized"/ },
  },
  (shared, mail) => {
    const given = async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const baseUrl = `${service.httpUrl}/providers/brevo/`
      return { inbox, client: clientOf(baseUrl, key), baseUrl, key }
    }

    it('sends versions of a template with their parameters', async () => {
      const { inbox, client } = await given()
      const { id } = await client.createSmtpTemplate({
        ...{ templateName: 'welcome', subject: 'For {{params.name}}', isActive: true },
        ...{ htmlContent: '<p>Hello {{params.name}}</p>', sender: mail.from },
      })
      const sent = await client.sendTransacEmail({
        templateId: id,
        messageVersions: [
          { to: [{ email: 'a@example.com' }], params: { name: '<Ada>' } },
          { to: [{ email: 'b@example.com' }], params: { name: 'Bob' } },
        ],
      })
      const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
      assert.equal(first.subject, 'For <Ada>')
      assert.match(String(first.html), /Hello &lt;Ada&gt;/)
      const second = await inbox.waitForMessage({ q: 'to:b@example.com', timeoutSeconds: 5 })
      const ids = [first, second].map(({ provider }) => provider?.id)
      assert.deepEqual(sent.messageIds, ids)
      const found = await client.getTransacEmailsList({ messageId: String(ids[1]) })
      assert.equal(found.transactionalEmails?.[0]?.subject, 'For Bob')
      const { events } = await client.getEmailEventReport({ event: 'delivered' })
      assert.deepEqual(events?.map(({ email }) => email).toSorted(), [
        'a@example.com',
        'b@example.com',
      ])
      await assert.rejects(
        client.sendTransacEmail({ templateId: 1, to: [{ email: 'a@b.example' }] }),
        {
          statusCode: 400,
        },
      )
    })

    it('cancels a scheduled mail, and stores nothing in the sandbox', async () => {
      const { inbox, client } = await given()
      const body = toBrevo(mail)
      const scheduledAt = new Date(Date.now() + 60 * 60 * 1000).toISOString()
      const { messageId } = await client.sendTransacEmail({ ...body, scheduledAt })
      await client.deleteScheduledEmailById({ identifier: String(messageId) })
      await assert.rejects(client.deleteScheduledEmailById({ identifier: String(messageId) }), {
        statusCode: 404,
      })
      await client.sendTransacEmail({ ...body, headers: { 'X-Sib-Sandbox': 'drop' } })
      assert.equal((await inbox.refresh()).messageCount, 0)
    })

    it('answers the check of a key', async () => {
      const { baseUrl, key } = await given()
      const check = (apiKey: string) =>
        new BrevoClient({ apiKey, baseUrl: `${baseUrl}v3`, maxRetries: 0 }).account.getAccount()
      assert.ok((await check(key)).email)
      await assert.rejects(check('none'), { statusCode: 401 })
    })
  },
)
