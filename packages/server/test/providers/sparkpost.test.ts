import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenProject } from './testing-project.ts'
import { describeProvider, type TestMail } from './testing-provider.ts'

// SparkPost's own SDK for Node needs a package that is deprecated. This client makes its requests:
// the paths, the bare key, and copies as recipients of their own with `header_to` and a CC header.

type Answer = { readonly results: { readonly id: string } }
type Thrown = { readonly status: number; readonly body: unknown }

/** Without a body a deletion. */
async function request(url: string, key: string, body: object | null) {
  const response = await fetch(url, {
    method: body === null ? 'DELETE' : 'POST',
    headers: { authorization: key, 'content-type': 'application/json', accept: 'application/json' },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const parsed: unknown = text === '' ? null : JSON.parse(text)
  if (!response.ok) throw { status: response.status, body: parsed } satisfies Thrown
  // The response has this body.
  return parsed as Answer
}

const toSparkPost = ({ from, to, cc, bcc, subject, text, html, base64 }: TestMail) => {
  const header_to = to.map(({ email, name }) => `"${name}" <${email}>`).join(', ')
  const copies = [...cc, ...bcc].map(({ email }) => ({ address: { email, header_to } }))
  const headers = cc.length === 0 ? {} : { CC: cc.map(({ email }) => email).join(', ') }
  return {
    ...{ campaign_id: 'signup', metadata: { userId: '42' } },
    recipients: [...to.map((address) => ({ address })), ...copies],
    content: {
      ...{ from, subject, text, html, headers: { 'X-Campaign': 'welcome', ...headers } },
      attachments: [{ name: 'one.txt', type: 'text/plain', data: base64 }],
      inline_images: [{ name: 'logo.png', type: 'image/png', data: base64 }],
    },
  }
}

describeProvider(
  {
    ...{ name: 'sparkpost', operation: 'POST /api/v1/transmissions', hasInline: true },
    splitsCopies: true,
    send: async (baseUrl, key, mail) => {
      const sent = await request(`${baseUrl}api/v1/transmissions`, key, toSparkPost(mail))
      return sent.results.id
    },
    // As the client throws it.
    errorOf: (error) => error as Thrown,
    ...{ tags: ['signup'], metadata: { userId: '42' }, unverifiedStatus: 400 },
    empty: { status: 422, text: /At least one of text or html/ },
    noAddress: { status: 422, text: /recipients\.address/ },
    wrongKey: { status: 401, text: /Unauthorized/ },
  },
  (shared, mail) => {
    it('renders a template for each recipient, and cancels what is scheduled', async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const url = `${service.httpUrl}/providers/sparkpost/api/v1/`
      await request(`${url}templates`, key, {
        id: 'welcome',
        content: {
          from: mail.from,
          subject: "For {{name or 'you'}}",
          html: '<p>{{if items}}{{each items}}[{{loop_var}}]{{end}}{{else}}none{{end}} {{name}}</p>',
        },
      })
      const to = (email: string, substitution_data = {}) => ({ address: email, substitution_data })
      const recipients = [
        to('a@example.com', { name: '<Ada>' }),
        to('b@example.com', { items: ['x', 'y'] }),
      ]
      const content = { template_id: 'welcome' }
      await request(`${url}transmissions`, key, { recipients, content })
      const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
      assert.equal(first.subject, 'For <Ada>')
      assert.match(String(first.html), /none &lt;Ada&gt;/)
      const second = await inbox.waitForMessage({ q: 'to:b@example.com', timeoutSeconds: 5 })
      assert.equal(second.subject, 'For you')
      assert.match(String(second.html), /\[x\]\[y\]/)

      const start_time = new Date(Date.now() + 3_600_000).toISOString()
      const later = { recipients, content, options: { start_time } }
      const { results } = await request(`${url}transmissions`, key, later)
      await request(`${url}transmissions/${results.id}`, key, null)
      const again = request(`${url}transmissions/${results.id}`, key, null)
      await assert.rejects(again, { status: 404 })
      assert.equal((await inbox.refresh()).messageCount, 2)
      const unknown = { recipients, content: { template_id: 'none' } }
      await assert.rejects(request(`${url}transmissions`, key, unknown), { status: 404 })
    })

    it('sends a mail that the caller has composed', async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const email_rfc822 =
        'From: app@acme.example\r\nTo: a@example.com\r\nSubject: Raw\r\n\r\nYour code is 481516.'
      const body = { recipients: [{ address: 'a@example.com' }], content: { email_rfc822 } }
      const url = `${service.httpUrl}/providers/sparkpost/api/v1/transmissions`
      const { results } = await request(url, key, body)
      const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
      assert.deepEqual(
        [value, message.subject, message.provider?.id],
        ['481516', 'Raw', results.id],
      )
    })
  },
)
