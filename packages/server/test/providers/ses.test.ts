import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as v1 from '@aws-sdk/client-ses'
import * as v2 from '@aws-sdk/client-sesv2'
import { createTransport } from 'nodemailer'
import { testClock } from '../testing-clock.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

const SIMPLE = {
  FromEmailAddress: 'Acme <app@acme.example>',
  Destination: { ToAddresses: ['someone@example.com'], BccAddresses: ['hidden@example.com'] },
  Content: {
    Simple: {
      Subject: { Data: 'Your code' },
      Body: {
        Text: { Data: 'Your verification code is 481516.' },
        Html: { Data: '<p>481516</p>' },
      },
    },
  },
}

const options = (httpUrl: string, key: string, secret = key) => ({
  endpoint: `${httpUrl}/providers/ses/`,
  region: 'eu-west-1',
  credentials: { accessKeyId: key, secretAccessKey: secret },
  maxAttempts: 1,
})

describe('the API of SES, with its SDKs', () => {
  const shared = sharedService()
  const given = async () => {
    const service = await shared()
    const project = await givenProject(service)
    const given = options(service.httpUrl, project.key)
    return { ...project, service, sesV2: new v2.SESv2Client(given), sesV1: new v1.SESClient(given) }
  }

  it('stores a simple mail of version 2', async () => {
    const { inbox, sesV2 } = await given()
    const { MessageId } = await sesV2.send(
      new v2.SendEmailCommand({
        ...SIMPLE,
        EmailTags: [{ Name: 'kind', Value: 'signup' }],
        Content: {
          Simple: {
            ...SIMPLE.Content.Simple,
            Headers: [{ Name: 'X-Campaign', Value: 'welcome' }],
            Attachments: [
              { FileName: 'one.txt', RawContent: Buffer.from('one'), ContentType: 'text/plain' },
            ],
          },
        },
      }),
    )
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(value, '481516')
    assert.deepEqual(message.recipients, ['someone@example.com', 'hidden@example.com'])
    assert.equal(message.attachments[0]?.filename, 'one.txt')
    const { provider, headers } = message
    assert.deepEqual(
      [provider?.operation, provider?.id, provider?.metadata],
      ['SendEmail', MessageId, { kind: 'signup' }],
    )
    const header = (name: string) => headers.find((one) => one.name.toLowerCase() === name)?.value
    assert.equal(header('message-id'), `<${MessageId}@eu-west-1.amazonses.com>`)
    assert.equal(header('x-campaign'), 'welcome')
    assert.equal(header('bcc'), undefined)
  })

  it('stores a raw mail of nodemailer, with an envelope of its own', async () => {
    const { inbox, sesV2 } = await given()
    const transport = createTransport({
      SES: { sesClient: sesV2, SendEmailCommand: v2.SendEmailCommand },
    })
    const sent = await transport.sendMail({
      from: 'Ädä <app@acme.example>',
      to: 'someone@example.com',
      bcc: 'hidden@example.com',
      subject: 'Raw',
      text: 'Your verification code is 481516.',
      messageId: '<own@acme.example>',
    })
    const { message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(message.from.name, 'Ädä')
    assert.deepEqual(message.recipients, ['someone@example.com', 'hidden@example.com'])
    const ids = message.headers.filter(({ name }) => name.toLowerCase() === 'message-id')
    assert.deepEqual(
      ids.map(({ value }) => value),
      [sent.messageId],
    )
    assert.match(JSON.stringify(message.provider?.request), /"Raw":\{"Data":"<\d+ bytes>"\}/)
  })

  it('stores mails of version 1: simple, raw and templated', async () => {
    const { inbox, sesV1 } = await given()
    const Destination = { ToAddresses: ['a@example.com'] }
    const Source = 'app@acme.example'
    const text = (Data: string) => ({
      Subject: { Data },
      Body: { Text: { Data: 'Code & <tag> 481516' } },
    })
    const sent = await sesV1.send(
      new v1.SendEmailCommand({ Source, Destination, Message: text('Simple') }),
    )
    assert.match(String(sent.MessageId), /^0100/)
    const Data = Buffer.from(
      'From: app@acme.example\r\nTo: b@example.com\r\nSubject: Raw\r\n\r\nHello\r\n',
    )
    await sesV1.send(new v1.SendRawEmailCommand({ RawMessage: { Data } }))
    const Template = {
      TemplateName: 'welcome',
      SubjectPart: 'Hi {{name}}',
      TextPart: 'Hi {{name}}',
      HtmlPart: '<b>{{name}}</b>',
    }
    await sesV1.send(new v1.CreateTemplateCommand({ Template }))
    await assert.rejects(
      sesV1.send(new v1.CreateTemplateCommand({ Template })),
      v1.AlreadyExistsException,
    )
    const TemplateData = JSON.stringify({ name: '<Ada>' })
    await sesV1.send(
      new v1.SendTemplatedEmailCommand({ Source, Destination, Template: 'welcome', TemplateData }),
    )
    const missing = sesV1.send(
      new v1.SendTemplatedEmailCommand({ Source, Destination, Template: 'none', TemplateData }),
    )
    await assert.rejects(missing, v1.TemplateDoesNotExistException)
    const { messages } = await inbox.listMessages()
    assert.deepEqual(
      messages.map(({ subject }) => subject),
      ['Hi <Ada>', 'Raw', 'Simple'],
    )
    assert.ok((await sesV1.send(new v1.GetSendQuotaCommand({}))).Max24HourSend)
    const identities = await sesV1.send(
      new v1.GetIdentityVerificationAttributesCommand({ Identities: ['a.example', 'b.example'] }),
    )
    assert.deepEqual(Object.keys(identities.VerificationAttributes ?? {}), [
      'a.example',
      'b.example',
    ])
  })

  it('renders templates of version 2, of one mail and of many', async () => {
    const { inbox, sesV2 } = await given()
    const TemplateContent = {
      Subject: 'For {{name}}',
      Text: '{{#if vip}}VIP{{else}}Code{{/if}} {{code}}',
    }
    await sesV2.send(new v2.CreateEmailTemplateCommand({ TemplateName: 'code', TemplateContent }))
    const base = { FromEmailAddress: SIMPLE.FromEmailAddress }
    const sent = await sesV2.send(
      new v2.SendBulkEmailCommand({
        ...base,
        DefaultContent: {
          Template: { TemplateName: 'code', TemplateData: '{"name":"you","code":"1"}' },
        },
        BulkEmailEntries: [
          {
            Destination: { ToAddresses: ['a@example.com'] },
            ReplacementEmailContent: {
              ReplacementTemplate: { ReplacementTemplateData: '{"name":"Ada"}' },
            },
          },
          { Destination: { ToAddresses: ['b@example.com'] } },
          { Destination: { ToAddresses: ['nobody'] } },
        ],
      }),
    )
    assert.deepEqual(
      sent.BulkEmailEntryResults?.map(({ Status }) => Status),
      ['SUCCESS', 'SUCCESS', 'INVALID_PARAMETER'],
    )
    const inline = { Template: { TemplateContent, TemplateData: '{"name":"Bob","code":"481516"}' } }
    await sesV2.send(
      new v2.SendEmailCommand({ ...base, Destination: SIMPLE.Destination, Content: inline }),
    )
    const { messages } = await inbox.listMessages()
    assert.deepEqual(messages.map(({ subject }) => subject).toSorted(), [
      'For Ada',
      'For Bob',
      'For you',
    ])
    const unknown = { Template: { TemplateName: 'none', TemplateData: '{}' } }
    const sending = sesV2.send(
      new v2.SendEmailCommand({ ...base, Destination: SIMPLE.Destination, Content: unknown }),
    )
    await assert.rejects(sending, v2.NotFoundException)
    // SES accepts it, and reports later that it could not be rendered.
    const incomplete = { Template: { TemplateName: 'code', TemplateData: '{"name":"Eve"}' } }
    await sesV2.send(
      new v2.SendEmailCommand({ ...base, Destination: SIMPLE.Destination, Content: incomplete }),
    )
    assert.equal((await inbox.refresh()).messageCount, 3)
    const { events } = await inbox.diagnose()
    assert.match(
      String(events.findLast(({ stage }) => stage === 'provider.refused')?.detail),
      /Attribute 'code' is not present/,
    )
    const rendered = await sesV2.send(
      new v2.TestRenderEmailTemplateCommand({
        TemplateName: 'code',
        TemplateData: '{"name":"a","code":"b","vip":true}',
      }),
    )
    assert.match(String(rendered.RenderedTemplate), /VIP b/)
  })

  it('answers the other calls of an account, with an address in the path', async () => {
    const { sesV2 } = await given()
    const identity = await sesV2.send(
      new v2.GetEmailIdentityCommand({ EmailIdentity: 'hello@acme.example' }),
    )
    assert.equal(identity.VerifiedForSendingStatus, true)
    assert.equal((await sesV2.send(new v2.GetAccountCommand({}))).SendingEnabled, true)
    assert.equal(
      (await sesV2.send(new v2.ListEmailTemplatesCommand({ PageSize: 10 }))).TemplatesMetadata
        ?.length,
      0,
    )
  })

  it('throws the error class of each refusal', async () => {
    const { inbox, service, sesV2, sesV1, key } = await given()
    const command = () => new v2.SendEmailCommand(SIMPLE)
    const wrong = new v2.SESv2Client(options(service.httpUrl, key, 'not the key'))
    await assert.rejects(wrong.send(command()), { name: 'InvalidSignatureException' })
    const unknown = new v2.SESv2Client(options(service.httpUrl, 'AKIAUNKNOWN'))
    await assert.rejects(unknown.send(command()), { name: 'UnrecognizedClientException' })
    const other = await service.register()
    const unverified = new v2.SESv2Client(options(service.httpUrl, other.key))
    await assert.rejects(unverified.send(command()), v2.MessageRejected)
    const bad = new v2.SendEmailCommand({ ...SIMPLE, Destination: { ToAddresses: ['nobody'] } })
    await assert.rejects(sesV2.send(bad), v2.BadRequestException)
    const raw = new v1.SendEmailCommand({
      Source: 'x',
      Destination: {},
      Message: { Subject: { Data: '' }, Body: { Text: { Data: 'x' } } },
    })
    await assert.rejects(sesV1.send(raw), { name: 'InvalidParameterValue' })
    await inbox.setFaults([{ phase: 'api', status: 429, times: 1 }])
    await assert.rejects(sesV2.send(command()), v2.TooManyRequestsException)
    const retrying = new v2.SESv2Client({ ...options(service.httpUrl, key), maxAttempts: 3 })
    await inbox.setFaults([{ phase: 'api', status: 500, times: 1 }])
    const { $metadata } = await retrying.send(command())
    assert.equal($metadata.attempts, 2)
  })
})

describe('a signature of SES', () => {
  it('is refused when its time, or a part of what it signs, is another one', async () => {
    const clock = testClock(Date.now())
    await using service = await startService({ clock })
    const { key } = await givenProject(service)
    const changes: readonly ((request: {
      headers: Record<string, string>
      body?: unknown
      path: string
      query?: Record<string, string>
    }) => void)[] = [
      (request) => {
        request.body = `${request.body} `
        request.headers['content-length'] = String(Buffer.byteLength(String(request.body)))
      },
      (request) => {
        request.headers['x-amz-user-agent'] = 'another'
      },
      (request) => {
        request.query = { a: 'b' }
      },
      (request) => {
        request.path += '/'
      },
      (request) => {
        request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
      },
      (request) => {
        const time = request.headers['x-amz-date'] ?? ''
        request.headers['x-amz-date'] = `2001${time.slice(4)}`
      },
      (request) => {
        request.headers['host'] = String(request.headers['host']).replace('127.0.0.1', 'localhost')
      },
      // The scope, the list of headers, and the signature.
      ...(
        [
          [/\/\d{8}\//, () => '/20010101/'],
          [/\/eu-west-1\//, () => '/eu-south-1/'],
          [/\/ses\//, () => '/sns/'],
          [/(?<=SignedHeaders=)[^;]*;/, () => ''],
          [/(?<=SignedHeaders=)/, () => 'x-none;'],
          [/.$/, (last) => (last === '0' ? '1' : '0')],
        ] satisfies [RegExp, (part: string) => string][]
      ).map(([part, other]) => (request: { headers: Record<string, string> }) => {
        request.headers['authorization'] = String(request.headers['authorization']).replace(
          part,
          other,
        )
      }),
    ]
    const client = (change: (typeof changes)[number] | null) => {
      const ses = new v2.SESv2Client(options(service.httpUrl, key))
      // After the request is signed.
      ses.middlewareStack.add(
        (next) => (args) => {
          // A part of the union, or left out of the types.
          change?.(args.request as Parameters<(typeof changes)[number]>[0])
          return next(args)
        },
        { step: 'finalizeRequest', priority: 'low', name: 'change' },
      )
      return ses.send(new v2.SendEmailCommand(SIMPLE))
    }
    await client(null)
    for (const change of changes)
      await assert.rejects(client(change), { name: 'InvalidSignatureException' }, String(change))
    const malformed = client((request) => {
      const signed = String(request.headers['authorization'])
      request.headers['authorization'] = signed.replace('aws4_request', 'aws5_request')
    })
    await assert.rejects(malformed, { name: 'IncompleteSignatureException' })
    clock.ms += 6 * 60_000
    await assert.rejects(client(null), {
      name: 'InvalidSignatureException',
      message: /Signature expired/,
    })
  })
})
