import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SendMailClient } from 'zeptomail'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

/** The option is not in its types: by default the SDK speaks TLS alone. */
const clientOf = (url: string, key: string) =>
  new SendMailClient({ url, token: `Zoho-enczapikey ${key}` }, { useHttps: false })

const boxes = (list: TestMail['to']) =>
  list.map(({ email: address, name }) => ({ email_address: { address, name } }))

const toZeptoMail = ({ from, to, cc, bcc, subject, text, html, base64 }: TestMail) => ({
  ...{ from: { address: from.email, name: from.name }, to: boxes(to), subject },
  ...{ cc: boxes(cc), bcc: boxes(bcc), textbody: text, htmlbody: html },
  ...{ client_reference: '42', mime_headers: { 'X-Campaign': 'welcome' } },
  attachments: [{ name: 'one.txt', mime_type: 'text/plain', content: base64 }],
  inline_images: [{ cid: 'logo.png', mime_type: 'image/png', content: base64 }],
})

type Sent = { readonly request_id: string }
type Thrown = { readonly error?: { readonly code: string; readonly details: readonly object[] } }

describeProvider(
  {
    ...{ name: 'zeptomail', operation: 'POST /v1.1/email', hasInline: true },
    send: async (baseUrl, key, mail) => {
      const sent = await clientOf(baseUrl, key).sendMail(toZeptoMail(mail))
      // The types of the SDK say that a response may be anything.
      return (sent as Sent).request_id
    },
    errorOf: (error) => {
      // As the SDK throws it: without the status.
      const body = (error as Thrown).error
      return { status: body?.code, body }
    },
    ...{ tags: [], metadata: { client_reference: '42' }, unverifiedStatus: 'TM_4001' },
    empty: { status: 'TM_3201', text: /htmlbody/ },
    noAddress: { status: 'TM_3301', text: /Invalid email address: nobody/ },
    ...{ wrongKey: { status: 'TM_4001', text: /SERR_157/ }, limitedStatus: 'TM_8001' },
  },
  (shared, mail) => {
    it('sends lists and templates, with the values of each recipient', async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const baseUrl = `${service.httpUrl}/providers/zeptomail/`
      const client = clientOf(baseUrl, key)
      const from = { address: mail.from.email, name: mail.from.name }
      const to = [
        { email_address: { address: 'a@example.com', name: 'A' }, merge_info: { name: '<Ada>' } },
        { email_address: { address: 'b@example.com', name: 'B' }, merge_info: { name: 'Bob' } },
      ]
      const htmlbody = '<p>{{name}} {{shared}}</p>'
      await client.sendBatchMail({
        ...{ from, to, subject: 'For {{name}}', htmlbody, merge_info: { shared: 'all' } },
      })
      const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
      assert.equal(first.subject, 'For <Ada>')
      assert.match(String(first.html), /&lt;Ada&gt; all/)
      await inbox.waitForMessage({ q: 'to:b@example.com subject:Bob', timeoutSeconds: 5 })

      const created = await fetch(`${baseUrl}v1.1/mailagents/agent/templates`, {
        method: 'POST',
        headers: { authorization: `Zoho-enczapikey ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ template_name: 'Code', subject: 'Code {{code}}', htmlbody }),
      })
      // The response has this body.
      const { data } = (await created.json()) as { data: { template_key: string } }
      const { template_key } = data
      await client.sendMailWithTemplate({
        ...{ from, to: to.slice(0, 1), template_key, merge_info: { code: '481516' } },
      })
      await inbox.waitForMessage({ q: 'subject:481516', timeoutSeconds: 5 })
      await client.mailBatchWithTemplate({ from, to, template_key, merge_info: { code: '2342' } })
      await inbox.waitForMessage({ q: 'to:b@example.com subject:2342', timeoutSeconds: 5 })
      await assert.rejects(
        client.sendMailWithTemplate({ from, to: to.slice(0, 1), template_key: 'none' }),
        (error: Thrown) => error.error?.code === 'TM_3501',
      )
      assert.equal((await inbox.refresh()).messageCount, 5)
    })
  },
)
