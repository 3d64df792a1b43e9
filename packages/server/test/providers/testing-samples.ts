// A valid body for the calls of each provider, to be changed by tests.

/** A mail in the fields of several APIs. */
export const EMAIL = {
  from: 'app@acme.example',
  to: 'a@example.com',
  subject: 'Hi',
  text: 'Hi {{name}}',
}
/** The same for Postmark. */
export const POSTMARK = {
  From: EMAIL.from,
  To: EMAIL.to,
  Subject: 'Hi',
  TextBody: 'Hi',
  Headers: [],
}
/** Three bytes. */
export const BASE64 = Buffer.from('one').toString('base64')

/** A body for a path. */
export type Sample = { readonly path: string; readonly type: string; readonly body: string }

const sample = (path: string, body: object): Sample => ({
  ...{ path, type: 'application/json', body: JSON.stringify(body) },
})

const MAILTRAP = {
  ...{ from: { email: EMAIL.from }, to: [{ email: EMAIL.to }], subject: 'Hi', text: 'Hi' },
  ...{ category: 'a', custom_variables: { a: 'b' }, headers: { 'X-A': 'b' } },
  attachments: [{ content: BASE64, filename: 'a.txt' }],
}

const MAILERSEND = {
  ...{ from: { email: EMAIL.from }, to: [{ email: EMAIL.to }], subject: 'Hi', text: '{{a}}' },
  ...{ tags: ['a'], headers: [{ name: 'X-A', value: 'b' }] },
  personalization: [{ email: EMAIL.to, data: { a: 'b' } }],
  attachments: [{ content: BASE64, filename: 'a.txt', id: 'a', disposition: 'inline' }],
}

/** Stands for the key in a body. */
export const KEY = 'the-key'

/** A valid body for the calls of each provider that send. */
export const SAMPLES: readonly Sample[] = [
  sample('sendgrid/v3/mail/send', {
    personalizations: [
      { to: [{ email: EMAIL.to }], headers: { 'X-A': 'b' }, substitutions: { '-a-': 'b' } },
    ],
    ...{ from: { email: EMAIL.from, name: 'A' }, subject: 'Hi', categories: ['a'] },
    ...{ content: [{ type: 'text/plain', value: 'Hi' }], custom_args: { a: 'b' } },
    attachments: [{ content: BASE64, filename: 'a.txt' }],
  }),
  sample('resend/emails', {
    ...EMAIL,
    headers: { 'X-A': 'b', 'X-Tags': 'a' },
    attachments: [{ filename: 'a.txt', content: BASE64, content_type: 'text/plain' }],
    tags: [{ name: 'a', value: 'b' }],
    scheduled_at: 'in 1 hour',
  }),
  sample('resend/emails/batch', [EMAIL, EMAIL]),
  sample('resend/templates', { name: 'a', html: '{{{A}}}', variables: [{ key: 'A' }] }),
  sample('postmark/email', {
    ...{ ...POSTMARK, Headers: [{ Name: 'X-A', Value: 'b' }], Tag: 'a', Metadata: { a: 'b' } },
    Attachments: [{ Name: 'a', Content: BASE64, ContentType: 'text/plain', ContentID: 'a' }],
  }),
  sample('postmark/email/batch', [POSTMARK, POSTMARK]),
  sample('postmark/templates', { Name: 'a', Subject: '{{a}}', HtmlBody: '{{#each a}}{{/each}}' }),
  sample('ses/v2/email/outbound-emails', {
    ...{ FromEmailAddress: EMAIL.from, Destination: { ToAddresses: [EMAIL.to] } },
    Content: {
      Template: { TemplateContent: { Subject: '{{a}}', Text: '{{b}}' }, TemplateData: '{}' },
    },
  }),
  sample('ses/v2/email/outbound-emails', {
    Content: {
      Raw: {
        Data: Buffer.from('From: a@b.example\r\nTo: c@d.example\r\n\r\nHi').toString('base64'),
      },
    },
  }),
  {
    path: 'ses/',
    type: 'application/x-www-form-urlencoded',
    body: 'Action=SendEmail&Version=2010-12-01&Source=a%40b.example&Destination.ToAddresses.member.1=c%40d.example&Message.Subject.Data=Hi&Message.Body.Text.Data=Hi',
  },
  sample('brevo/v3/smtp/email', {
    ...{ sender: { email: EMAIL.from }, to: [{ email: EMAIL.to }], subject: 'Hi' },
    ...{ htmlContent: 'Hi {{params.a}}', params: { a: 'b' }, headers: { 'X-A': 'b' } },
    attachment: [{ name: 'a.txt', content: BASE64 }],
  }),
  sample('brevo/v3/smtp/templates', { templateName: 'a', subject: '{{a}}', htmlContent: '{{b}}' }),
  sample('mandrill/api/1.0/messages/send.json', {
    key: KEY,
    message: {
      ...{ from_email: EMAIL.from, to: [{ email: EMAIL.to }], subject: 'Hi', text: 'Hi *|A|*' },
      ...{ headers: { 'X-A': 'b' }, metadata: { a: 'b' }, merge_language: 'handlebars' },
      global_merge_vars: [{ name: 'a', content: 'b' }],
      attachments: [{ type: 'text/plain', name: 'a.txt', content: BASE64 }],
    },
  }),
  sample('mandrill/api/1.0/messages/send-raw', {
    ...{ raw_message: 'From: a@b.example\r\nTo: c@d.example\r\n\r\nHi', key: KEY },
  }),
  sample('mailjet/v3.1/send', {
    Globals: { From: { Email: EMAIL.from, Name: 'A' }, Subject: 'Hi {{var:a:"b"}}' },
    Messages: [
      {
        ...{ To: [{ Email: EMAIL.to }], TextPart: 'Hi', Headers: { 'X-A': 'b' } },
        ...{ TemplateLanguage: true, Variables: { a: 'b' }, EventPayload: '{}' },
        Attachments: [{ ContentType: 'text/plain', Filename: 'a', Base64Content: BASE64 }],
      },
    ],
  }),
  sample('mailersend/v1/email', MAILERSEND),
  sample('mailersend/v1/bulk-email', [MAILERSEND, MAILERSEND]),
  sample('sparkpost/api/v1/transmissions', {
    ...{ campaign_id: 'a', metadata: { a: 'b' }, substitution_data: { a: 'b' } },
    recipients: [
      { address: { email: EMAIL.to, name: 'A', header_to: EMAIL.to }, tags: ['a'] },
      { address: EMAIL.to, substitution_data: { a: 'c' } },
    ],
    content: {
      ...{ from: { email: EMAIL.from, name: 'A' }, subject: 'Hi {{a}}', text: 'Hi {{a}}' },
      ...{ reply_to: EMAIL.to, headers: { 'X-A': 'b', CC: EMAIL.to } },
      attachments: [{ name: 'a.txt', type: 'text/plain', data: BASE64 }],
      inline_images: [{ name: 'a', type: 'image/png', data: BASE64 }],
    },
  }),
  sample('sparkpost/api/v1/transmissions', {
    recipients: [{ address: EMAIL.to }],
    content: { email_rfc822: 'From: a@b.example\r\nTo: c@d.example\r\n\r\nHi' },
  }),
  sample('sparkpost/api/v1/templates', {
    ...{ id: 'a', name: 'a', content: { from: EMAIL.from, subject: '{{a}}', html: '{{each a}}' } },
  }),
  ...['email', 'email/batch'].map((path) =>
    sample(`zeptomail/v1.1/${path}`, {
      ...{ from: { address: EMAIL.from, name: 'A' }, subject: 'Hi {{a}}', textbody: 'Hi {{a}}' },
      to: [{ email_address: { address: EMAIL.to, name: 'A' }, merge_info: { a: 'b' } }],
      ...{ reply_to: [{ address: EMAIL.to, name: 'A' }], client_reference: 'a' },
      ...{ mime_headers: { 'X-A': 'b' }, merge_info: { a: 'b' } },
      attachments: [{ name: 'a.txt', mime_type: 'text/plain', content: BASE64 }],
      inline_images: [{ cid: 'a', mime_type: 'image/png', content: BASE64 }],
    }),
  ),
  sample('zeptomail/v1.1/mailagents/a/templates', {
    ...{ template_name: 'a', subject: '{{a}}', htmlbody: '{{b}}' },
  }),
  sample('postmark/email/bulk', {
    ...{ From: EMAIL.from, Subject: '{{a}}', TextBody: '{{b}}', Headers: [] },
    Messages: [{ To: EMAIL.to, TemplateModel: { a: 'b' }, Metadata: { a: 'b' } }],
  }),
  sample('mailjet/v3/REST/template', { Name: 'a', Author: 'b', Purposes: ['c'] }),
  sample('mailgun/v1/analytics/logs', { events: ['delivered'], pagination: { limit: 2 } }),
  sample('sendgrid/v3/user/scheduled_sends', { batch_id: 'a', status: 'pause' }),
  sample('mailtrap/api/send', MAILTRAP),
  sample('mailtrap/api/batch/1', { base: MAILTRAP, requests: [{ subject: 'A' }, {}] }),
  {
    path: 'mailgun/v3/mg.acme.example/messages',
    type: 'application/x-www-form-urlencoded',
    body: 'from=a%40b.example&to=c%40d.example&subject=Hi&text=Hi&h:X-A=b&v:a=b&recipient-variables={}',
  },
  {
    path: 'mailgun/v3/mg.acme.example/messages.mime',
    type: 'multipart/form-data; boundary=b',
    body: '--b\r\nContent-Disposition: form-data; name="to"\r\n\r\nc@d.example\r\n--b\r\nContent-Disposition: form-data; name="message"; filename="m"\r\n\r\nFrom: a@b.example\r\n\r\nHi\r\n--b--\r\n',
  },
]

/** The headers with which the APIs find a key, and the key of a sample. */
export function headersOf(path: string, key: string): Readonly<Record<string, string>> {
  const name = path.split('/')[0] ?? ''
  const basic = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`
  const own: Readonly<Record<string, string>> = {
    ...{ mailgun: basic, mailjet: basic, sparkpost: key, zeptomail: `Zoho-enczapikey ${key}` },
    // With the key unknown to it, any signature is accepted: none is needed for these bodies.
    ses: `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/ses/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  }
  return {
    authorization: own[name] ?? `Bearer ${key}`,
    ...{ 'x-postmark-server-token': key, 'api-key': key },
  }
}
