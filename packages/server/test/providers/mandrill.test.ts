import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

const require = createRequire(import.meta.url)

type Post = (body: object) => Promise<unknown>

/** The part of the SDK that is used; it has no types. */
type Client = {
  basePath: string
  readonly messages: Readonly<
    Record<'send' | 'sendTemplate' | 'sendRaw' | 'info' | 'cancelScheduled', Post>
  >
  readonly templates: { readonly add: Post }
  readonly users: { readonly ping: Post; readonly ping2: Post }
}

/** The SDK returns errors, and calls that some recipients do not get. */
class Failed extends Error {
  readonly status: unknown
  readonly body: unknown

  constructor(status: unknown, body: unknown) {
    super('failed')
    this.status = status
    this.body = body
  }
}

type Result = { readonly email: string; readonly status: string; readonly _id: string }

async function resultsOf(sending: Promise<unknown>): Promise<readonly Result[]> {
  // An AxiosError, or the list.
  const value = (await sending) as Result[] | { response: { status: number; data: unknown } }
  if (!Array.isArray(value)) throw new Failed(value.response.status, value.response.data)
  return value
}

function clientOf(baseUrl: string, key: string): Client {
  const open: (key: string) => Client = require('@mailchimp/mailchimp_transactional')
  const client = open(key)
  client.basePath = `${baseUrl}api/1.0`
  return client
}

const PEOPLE = { type: 'to' } as const

const toMandrill = ({ from, to, cc, bcc, subject, text, html, base64 }: TestMail) => ({
  ...{ from_email: from.email, from_name: from.name, subject, text, html },
  to: [
    ...to.map((one) => ({ ...one, ...PEOPLE })),
    ...cc.map((one) => ({ ...one, type: 'cc' })),
    ...bcc.map((one) => ({ ...one, type: 'bcc' })),
  ],
  ...{ tags: ['signup'], metadata: { userId: '42' }, headers: { 'X-Campaign': 'welcome' } },
  attachments: [{ type: 'text/plain', name: 'one.txt', content: base64 }],
  images: [{ type: 'image/png', name: 'logo.png', content: base64 }],
})

describeProvider(
  {
    ...{ name: 'mandrill', operation: 'POST /api/1.0/messages/send', hasInline: true },
    send: async (baseUrl, key, mail) => {
      const sending = clientOf(baseUrl, key).messages.send({ message: toMandrill(mail) })
      const results = await resultsOf(sending)
      if (results.some(({ status }) => status !== 'sent')) throw new Failed(200, results)
      return String(results[0]?._id)
    },
    errorOf: (error) => {
      assert.ok(error instanceof Failed)
      return error
    },
    ...{ tags: ['signup'], metadata: { userId: '42' }, unverifiedStatus: 200 },
    empty: { status: 500, text: /"code":-2,"name":"ValidationError"/ },
    noAddress: { status: 200, text: /"email":"nobody","status":"invalid"/ },
    wrongKey: { status: 500, text: /"code":-1,"name":"Invalid_Key"/ },
  },
  (shared, mail) => {
    const given = async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      return { inbox, client: clientOf(`${service.httpUrl}/providers/mandrill/`, key) }
    }

    it('merges for each recipient, which sees itself alone', async () => {
      const { inbox, client } = await given()
      const message = {
        ...{ ...toMandrill(mail), subject: 'For *|NAME|*', html: '<p>*|name|* *|NONE|*</p>' },
        to: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
        global_merge_vars: [{ name: 'name', content: 'you' }],
        merge_vars: [{ rcpt: 'B@example.com', vars: [{ name: 'NAME', content: 'Bob' }] }],
      }
      const results = await resultsOf(client.messages.send({ message, async: true }))
      assert.deepEqual(
        results.map(({ status }) => status),
        ['queued', 'queued'],
      )
      const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
      assert.deepEqual([first.subject, first.to.length], ['For you', 1])
      assert.match(String(first.html), /you \*\|NONE\|\*/)
      const second = await inbox.waitForMessage({ q: 'to:b@example.com', timeoutSeconds: 5 })
      assert.equal(second.subject, 'For Bob')
      assert.equal(second.provider?.id, results[1]?._id)
    })

    it('sends templates and raw mails', async () => {
      const { inbox, client } = await given()
      const code = '<h1>{{title}}</h1><div mc:edit="main">old</div>'
      await client.templates.add({
        name: 'welcome',
        code,
        subject: 'Hi',
        from_email: mail.from.email,
      })
      const message = {
        ...{ to: [{ email: 'a@example.com' }], merge_language: 'handlebars' },
        global_merge_vars: [{ name: 'title', content: 'Dear <A>' }],
      }
      const template_content = [{ name: 'main', content: '<b>new</b>' }]
      const named = { template_name: 'welcome', template_content, message }
      await resultsOf(client.messages.sendTemplate(named))
      const { html } = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
      assert.match(String(html), /Dear &lt;A&gt;.*<b>new<\/b>/)
      const unknown = client.messages.sendTemplate({ ...named, template_name: 'none' })
      await assert.rejects(resultsOf(unknown), ({ body }: Failed) => {
        assert.match(JSON.stringify(body), /"code":5,"name":"Unknown_Template"/)
        return true
      })
      const raw_message =
        'From: app@acme.example\r\nTo: r@example.com\r\nSubject: raw\r\n\r\n481516'
      const [sent] = await resultsOf(client.messages.sendRaw({ raw_message }))
      const raw = await inbox.waitForMessage({ q: 'to:r@example.com', timeoutSeconds: 5 })
      assert.deepEqual([raw.subject, raw.provider?.id], ['raw', sent?._id])
    })

    it('cancels a scheduled mail, and answers the check of a key', async () => {
      const { inbox, client } = await given()
      const send_at = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
      const sending = client.messages.send({ message: toMandrill(mail), send_at })
      const [sent] = await resultsOf(sending)
      assert.equal(sent?.status, 'scheduled')
      await client.messages.cancelScheduled({ id: sent._id })
      assert.equal((await inbox.refresh()).messageCount, 0)
      assert.equal(await client.users.ping({}), 'PONG!')
      assert.deepEqual(await client.users.ping2({}), { PING: 'PONG!' })
    })
  },
)
