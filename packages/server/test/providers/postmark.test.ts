import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Errors, type Message, ServerClient } from 'postmark'
import { sharedService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

const MAIL: Message = {
  From: 'Acme <app@acme.example>',
  To: 'someone@example.com',
  Subject: 'Your code',
  TextBody: 'Your verification code is 481516.',
}

describe('the API of Postmark, with its SDK', () => {
  const shared = sharedService()
  const given = async () => {
    const service = await shared()
    const project = await givenProject(service)
    const requestHost = `${new URL(service.httpUrl).host}/providers/postmark`
    const client = (token: string) => new ServerClient(token, { useHttps: false, requestHost })
    return { ...project, client, postmark: client(project.key) }
  }

  it('stores a mail that a wait and the API itself find', async () => {
    const { inbox, postmark } = await given()
    const sent = await postmark.sendEmail({
      ...MAIL,
      HtmlBody: '<p>Hello <img src="cid:logo"></p>',
      Cc: '"Doe, Jane" <jane@example.com>',
      Tag: 'signup',
      Metadata: { userId: '42' },
      Headers: [{ Name: 'X-Campaign', Value: 'welcome' }],
      MessageStream: 'broadcast',
      Attachments: [
        {
          Name: 'logo.png',
          Content: 'cG5n',
          ContentType: 'image/png',
          ContentID: 'cid:logo',
          // Refused by the types; the service checks it, too.
          ContentLength: null as never,
        },
      ],
    })
    assert.deepEqual([sent.ErrorCode, sent.Message, sent.To], [0, 'OK', MAIL.To])
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(value, '481516')
    assert.deepEqual(message.recipients, ['someone@example.com', 'jane@example.com'])
    assert.deepEqual(
      [message.attachments[0]?.contentId, message.attachments[0]?.inline],
      ['logo', true],
    )
    const { provider, headers } = message
    assert.deepEqual(
      [provider?.id, provider?.tags, provider?.metadata],
      [sent.MessageID, ['signup'], { userId: '42' }],
    )
    const header = (name: string) =>
      headers.find((one) => one.name.toLowerCase() === name.toLowerCase())?.value
    assert.equal(header('X-Campaign'), 'welcome')
    assert.equal(header('X-PM-Tag'), 'signup')
    assert.match(String(header('List-Unsubscribe')), /^<https:/)
    const details = await postmark.getOutboundMessageDetails(sent.MessageID)
    assert.deepEqual(
      [details.Tag, details.TextBody?.trim(), details.Recipients.length],
      ['signup', MAIL.TextBody, 2],
    )
    assert.match((await postmark.getOutboundMessageDump(sent.MessageID)).Body, /Message-ID: </)
    assert.equal((await postmark.getOutboundMessages()).TotalCount, 1)
    const { events } = await inbox.diagnose()
    assert.match(
      String(events.find(({ stage }) => stage === 'provider.accepted')?.detail),
      /unknown fields: Attachments\.0\.ContentLength|id /,
    )
  })

  it('answers each mail of a batch by itself', async () => {
    const { inbox, postmark } = await given()
    const results = await postmark.sendEmailBatch([
      MAIL,
      { ...MAIL, To: 'nobody' },
      { ...MAIL, TextBody: '' },
    ])
    assert.deepEqual(
      results.map(({ ErrorCode }) => ErrorCode),
      [0, 300, 300],
    )
    assert.equal((await inbox.refresh()).messageCount, 1)
  })

  it('renders a template, by its id and by its alias', async () => {
    const { inbox, postmark } = await given()
    const layout = await postmark.createTemplate({
      Name: 'Layout',
      Alias: 'layout',
      // Refused by the types; the service checks it, too.
      TemplateType: 'Layout' as never,
      HtmlBody: '<h1>{{company}}</h1>{{{@content}}}',
      TextBody: '{{{@content}}}',
      // Refused by the types; the service checks it, too.
    } as never)
    assert.equal(layout.Alias, 'layout')
    const template = await postmark.createTemplate({
      Name: 'Welcome',
      Alias: 'welcome',
      Subject: 'Hello {{name}}',
      HtmlBody:
        '<ul>{{#each items}}<li>{{title}}</li>{{/each}}</ul>{{#product}}<p>{{label}}</p>{{/product}}',
      TextBody: 'Your code is {{code}}.',
      LayoutTemplate: 'layout',
    })
    const TemplateModel = {
      name: 'A&B',
      company: 'Acme',
      code: 481516,
      items: [{ title: '<x>' }, { title: 'y' }],
      product: { label: 'Pro' },
    }
    const base = { From: 'app@acme.example', To: 'a@example.com', TemplateModel }
    await postmark.sendEmailWithTemplate({ ...base, TemplateId: template.TemplateId })
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.deepEqual([value, message.subject], ['481516', 'Hello A&B'])
    assert.match(String(message.html), /Acme.*<li>&lt;x&gt;<\/li><li>y<\/li>.*Pro/s)
    const [first, second] = await postmark.sendEmailBatchWithTemplates([
      { ...base, TemplateAlias: 'welcome' },
      { ...base, TemplateAlias: 'unknown' },
    ])
    assert.deepEqual([first?.ErrorCode, second?.ErrorCode], [0, 1101])
  })

  it('throws the error class of each refusal', async () => {
    const { inbox, postmark, client, apiKey } = await given()
    await assert.rejects(client('wrong').sendEmail(MAIL), Errors.InvalidAPIKeyError)
    await assert.rejects(
      postmark.sendEmail({ ...MAIL, From: 'x' }),
      Errors.InvalidEmailRequestError,
    )
    await assert.rejects(postmark.getOutboundMessageDetails('unknown'), { code: 701 })
    const other = await (await shared()).register()
    await assert.rejects(client(other.key).sendEmail(MAIL), { code: 400, statusCode: 422 })
    await assert.rejects(client(`${apiKey}.inb_unknown`).sendEmail(MAIL), Errors.InvalidAPIKeyError)
    const faults = [
      [429, Errors.RateLimitExceededError],
      [500, Errors.InternalServerError],
      [503, Errors.ServiceUnavailablerError],
    ] as const
    await inbox.setFaults(faults.map(([status]) => ({ phase: 'api', status, times: 1 })))
    for (const [, type] of faults) await assert.rejects(postmark.sendEmail(MAIL), type)
    const text =
      'You tried to send to a recipient that has been marked as inactive. Found inactive addresses: a@example.com, b@example.com. Inactive recipients are ones that have generated a hard bounce.'
    await inbox.setFaults([{ phase: 'api', status: 406, text, times: 1 }])
    await assert.rejects(postmark.sendEmail(MAIL), (error: Error) => {
      assert.ok(error instanceof Errors.InactiveRecipientsError)
      assert.deepEqual(error.recipients, ['a@example.com', 'b@example.com'])
      return true
    })
  })

  it('sends one content to many, with the values of each', async () => {
    const { inbox, postmark } = await given()
    const sent = await postmark.sendBulkEmail({
      ...{ From: MAIL.From, Subject: 'For {{name}}', HtmlBody: '<p>{{name}}</p>' },
      Messages: [
        { To: 'a@example.com', TemplateModel: { name: '<Ada>' }, Metadata: { row: '1' } },
        { To: 'b@example.com', TemplateModel: { name: 'Bob' } },
      ],
    })
    assert.equal(sent.Status, 'Accepted')
    const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
    assert.deepEqual([first.subject, first.provider?.id], ['For <Ada>', sent.Id])
    assert.deepEqual(first.provider?.metadata, { row: '1' })
    assert.match(String(first.html), /&lt;Ada&gt;/)
    await inbox.waitForMessage({ q: 'to:b@example.com subject:Bob', timeoutSeconds: 5 })
    const status = await postmark.getBulkEmailStatus(sent.Id)
    assert.deepEqual([status.TotalMessages, status.Status], [2, 'Completed'])
    assert.deepEqual((await postmark.getSuppressions('outbound')).Suppressions, [])
    await assert.rejects(
      postmark.sendBulkEmail({ From: MAIL.From, Subject: 'x', TextBody: 'x', Messages: [] }),
      Errors.InvalidEmailRequestError,
    )
  })

  it('only validates with the test key', async () => {
    const { client, inbox } = await given()
    const sent = await client('POSTMARK_API_TEST').sendEmail(MAIL)
    assert.deepEqual([sent.ErrorCode, sent.Message], [0, 'Test job accepted'])
    await assert.rejects(
      client('POSTMARK_API_TEST').sendEmail({ ...MAIL, To: '' }),
      Errors.InvalidEmailRequestError,
    )
    assert.equal((await inbox.refresh()).messageCount, 0)
  })
})
