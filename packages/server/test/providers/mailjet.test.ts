import assert from 'node:assert/strict'
import { it } from 'node:test'
import Mailjet from 'node-mailjet'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

/** The SDK speaks TLS alone, and has no option for a prefix. */
function sendBy(baseUrl: string, key: string, body: object) {
  const { Client } = Mailjet
  const request = new Client({ apiKey: 'any', apiSecret: key }).post('send', { version: 'v3.1' })
  // Private in its types.
  Object.assign(request, { buildFullUrl: () => `${baseUrl}v3.1/send` })
  // What the function of the SDK takes.
  return request.request(body as Record<string, unknown>)
}

type Sent = {
  readonly Messages: readonly {
    readonly Status: string
    readonly To?: readonly { readonly MessageID: number }[]
    readonly Errors?: readonly { readonly ErrorCode: string }[]
  }[]
}

const people = (list: TestMail['to']) =>
  list.map(({ email, name }) => ({ Email: email, Name: name }))

const toMailjet = ({ from, to, cc, bcc, subject, text, html, base64 }: TestMail) => ({
  ...{ From: people([from])[0], To: people(to), Cc: people(cc), Bcc: people(bcc) },
  ...{ Subject: subject, TextPart: text, HTMLPart: html, Headers: { 'X-Campaign': 'welcome' } },
  ...{ CustomCampaign: 'signup', EventPayload: '{"userId":"42"}' },
  Attachments: [{ ContentType: 'text/plain', Filename: 'one.txt', Base64Content: base64 }],
  InlinedAttachments: [
    {
      ...{ ContentType: 'image/png', Filename: 'logo.png', ContentID: 'logo.png' },
      Base64Content: base64,
    },
  ],
})

type Thrown = { readonly statusCode: number; readonly response: { readonly data: unknown } }

describeProvider(
  {
    ...{ name: 'mailjet', operation: 'POST /v3.1/send', hasInline: true },
    send: async (baseUrl, key, mail) => {
      const { body } = await sendBy(baseUrl, key, { Messages: [toMailjet(mail)] })
      // The types of the SDK are those of all its calls.
      return String((body as unknown as Sent).Messages[0]?.To?.[0]?.MessageID)
    },
    errorOf: (error) => {
      assert.ok(error instanceof Error)
      // As the SDK throws it.
      const { statusCode, response } = error as unknown as Thrown
      return { status: statusCode, body: response.data }
    },
    ...{ tags: ['signup'], metadata: { userId: '42' }, unverifiedStatus: 403 },
    empty: { status: 400, text: /"ErrorCode":"send-0003"/ },
    noAddress: { status: 400, text: /"ErrorCode":"mj-0013"/ },
    wrongKey: { status: 401, text: /"StatusCode":401/ },
  },
  (shared, mail) => {
    it('sends the messages of a list, with what all share, and finds them by their ids', async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const baseUrl = `${service.httpUrl}/providers/mailjet/`
      const Globals = {
        ...{ From: { Email: mail.from.email }, Subject: 'For {{var:name:"you"}}' },
        ...{ TextPart: 'Hi', TemplateLanguage: true },
      }
      const to = (Email: string) => ({ To: [{ Email }] })
      const Messages = [{ ...to('a@example.com'), Variables: { name: 'Ada' } }, to('b@example.com')]
      const { body } = await sendBy(baseUrl, key, { Globals, Messages })
      const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
      const second = await inbox.waitForMessage({ q: 'to:b@example.com', timeoutSeconds: 5 })
      assert.deepEqual([first.subject, second.subject], ['For Ada', 'For you'])
      // As above.
      const id = (body as unknown as Sent).Messages[1]?.To?.[0]?.MessageID
      assert.equal(second.provider?.id, String(id))
      const basic = Buffer.from(`any:${key}`).toString('base64')
      const found = await fetch(`${baseUrl}v3/REST/message/${id}`, {
        headers: { authorization: `Basic ${basic}` },
      })
      assert.match(await found.text(), new RegExp(`"Count":1,"Data":\\[\\{"ID":${id},`))
      const partly = { Globals, Messages: [...Messages, to('nobody')], SandboxMode: true }
      await assert.rejects(sendBy(baseUrl, key, partly), { statusCode: 400 })
      await sendBy(baseUrl, key, { Globals, Messages, SandboxMode: true })
      assert.equal((await inbox.refresh()).messageCount, 2)
    })

    it('renders a stored template', async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const baseUrl = `${service.httpUrl}/providers/mailjet/`
      const rest = async (path: string, body: object) => {
        const response = await fetch(`${baseUrl}v3/REST/${path}`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        })
        assert.equal(response.status, 201)
        // The response has this body.
        return (await response.json()) as { readonly Data: readonly { readonly ID: number }[] }
      }
      const { Data } = await rest('template', { Name: 'welcome', EditMode: 'html' })
      const TemplateID = Data[0]?.ID ?? 0
      await rest(`template/${TemplateID}/detailcontent`, {
        ...{ 'Html-part': '<p>Your code is {{var:code}}.</p>', 'Text-part': '' },
        Headers: { Subject: 'For {{var:name:"you"}}' },
      })
      const message = {
        ...{ From: { Email: mail.from.email }, To: [{ Email: 'a@example.com' }] },
        ...{ TemplateLanguage: true, Variables: { code: '481516' } },
      }
      await sendBy(baseUrl, key, { Messages: [{ ...message, TemplateID }] })
      const { value, message: found } = await inbox.waitForOtp({ timeoutSeconds: 5 })
      assert.deepEqual([value, found.subject], ['481516', 'For you'])
      const unknown = { Messages: [{ ...message, TemplateID: 1 }] }
      await assert.rejects(sendBy(baseUrl, key, unknown), { statusCode: 400 })
    })
  },
)
