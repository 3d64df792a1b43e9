// The API of SendGrid: /v3.

import { z } from 'zod'
import { compose, type Mailbox, type MailFile, type MailHeader, readBase64 } from './compose.ts'
import {
  type Answer,
  type Call,
  json,
  type OutgoingMail,
  type Provider,
  Rejected,
  type Route,
} from './provider.ts'
import {
  addressesOf,
  checkBody,
  isAddress,
  type Problem,
  parseJson,
  readJson,
} from './read-body.ts'
import { renderHandlebars, TemplateFailed } from './templates.ts'

const HELP = 'http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html'

const RECIPIENTS_MAX = 1_000
const PERSONALIZATIONS_MAX = 1_000
const CATEGORIES_MAX = 10
const CUSTOM_ARGS_BYTES_MAX = 10_000
const SEND_AT_SECONDS_MAX = 72 * 60 * 60

const RESERVED_HEADERS =
  'x-sg-id, x-sg-eid, received, dkim-signature, Content-Type, Content-Transfer-Encoding, To, From, Subject, Reply-To, CC, BCC'

const address = z.strictObject({ email: z.string(), name: z.string().nullish() })
const headers = z.record(z.string(), z.string()).nullish()
const args = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish()
const someAddresses = z.array(address).nullish()

const personalization = z.strictObject({
  to: someAddresses,
  cc: someAddresses,
  bcc: someAddresses,
  from: address.nullish(),
  subject: z.string().nullish(),
  headers,
  substitutions: z.record(z.string(), z.string()).nullish(),
  dynamic_template_data: z.record(z.string(), z.unknown()).nullish(),
  custom_args: args,
  send_at: z.int().nullish(),
})

const attachment = z.strictObject({
  content: z.string(),
  filename: z.string(),
  type: z.string().nullish(),
  disposition: z.enum(['attachment', 'inline']).nullish(),
  content_id: z.string().nullish(),
})

const sendSchema = z.strictObject({
  personalizations: z.array(personalization),
  from: address,
  reply_to: address.nullish(),
  reply_to_list: someAddresses,
  subject: z.string().nullish(),
  content: z.array(z.strictObject({ type: z.string(), value: z.string() })).nullish(),
  attachments: z.array(attachment).nullish(),
  template_id: z.string().nullish(),
  headers,
  categories: z.union([z.array(z.string()), z.string().transform((one) => [one])]).nullish(),
  custom_args: args,
  send_at: z.int().nullish(),
  batch_id: z.string().nullish(),
  asm: z.looseObject({}).nullish(),
  ip_pool_name: z.string().nullish(),
  mail_settings: z
    .looseObject({ sandbox_mode: z.looseObject({ enable: z.boolean().nullish() }).nullish() })
    .nullish(),
  tracking_settings: z.looseObject({}).nullish(),
})

type SendBody = z.output<typeof sendSchema>
type Personalization = SendBody['personalizations'][number]

const versionSchema = z.strictObject({
  name: z.string().nullish(),
  subject: z.string().nullish(),
  html_content: z.string().nullish(),
  plain_content: z.string().nullish(),
  generate_plain_content: z.boolean().nullish(),
  active: z.union([z.int(), z.boolean()]).nullish(),
  editor: z.string().nullish(),
  test_data: z.string().nullish(),
})

type Version = z.output<typeof versionSchema> & { readonly id: string; readonly updated_at: string }
type Template = {
  readonly name: string
  readonly generation: string
  readonly versions: readonly Version[]
}

type ErrorFields = { readonly field?: string | null; readonly help?: string | null }

function errors(status: number, message: string, fields: ErrorFields = {}): Answer {
  return json(status, { errors: [{ message, field: null, help: null, ...fields }] })
}

function reject(message: string, field: string | null, anchor = ''): Rejected {
  const help = anchor === '' ? null : `${HELP}#${anchor}`
  return new Rejected(
    errors(400, message, { field, help }),
    field === null ? message : `${field}: ${message}`,
  )
}

function invalid({ kind, field, path }: Problem): Rejected {
  if (kind === 'json') return reject('Bad Request', null)
  if (field === 'personalizations') {
    return reject(
      'The personalizations field is required and must have at least one personalization.',
      field,
      '-Personalizations-Errors',
    )
  }
  if (field === 'from' || (field === 'from.email' && kind === 'missing')) {
    return reject(
      'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.  e.g. {"email" : "example@example.com"}  or {"email" : "example@example.com", "name" : "Example Recipient"}.',
      'from.email',
      'message.from',
    )
  }
  if (path[0] === 'attachments' && kind === 'missing') {
    return reject(
      `The attachment ${String(path.at(-1))} is required.`,
      field,
      'message.attachments',
    )
  }
  return reject(
    field === ''
      ? 'Bad Request'
      : `Invalid type. ${kind === 'missing' ? 'The field is required' : 'See the documentation of this field'}.`,
    field || null,
  )
}

async function sendMail(call: Call) {
  const type = call.headers['content-type'] ?? ''
  if (!/^application\/json/i.test(type)) {
    throw new Rejected(
      errors(415, 'Content-Type should be application/json.'),
      'the content type is not application/json',
    )
  }
  const body = readJson(call, sendSchema, invalid)
  checkMessage(body, call.now)
  const id = call.work.token().slice(0, 22)
  const template = body.template_id ? await activeVersion(call, body.template_id) : null
  checkContent(body, template)
  const files = readFiles(body)
  const mails: OutgoingMail[] = []
  for (const [i, one] of body.personalizations.entries()) {
    const own = i === 0 ? id : `${id}.${i}`
    mails.push(await composeOne(call, { body, one, template, files, id: own }))
  }
  const answer = { headers: { 'x-message-id': id }, body: null }
  if (body.mail_settings?.sandbox_mode?.enable === true) {
    return {
      answer: { status: 200, ...answer },
      note: 'sandbox mode: the mail was checked and not sent',
    }
  }
  return { answer: { status: 202, ...answer }, mails }
}

function checkMessage(body: SendBody, now: Date): void {
  const { personalizations, from, categories, custom_args, reply_to, reply_to_list } = body
  if (personalizations.length === 0)
    throw invalid({ path: [], field: 'personalizations', kind: 'missing', message: '' })
  if (personalizations.length > PERSONALIZATIONS_MAX) {
    throw reject(
      `The personalizations field must have at most ${PERSONALIZATIONS_MAX} personalizations.`,
      'personalizations',
      '-Personalizations-Errors',
    )
  }
  if (!isAddress(from.email))
    throw reject('The from email does not contain a valid address.', 'from.email', 'message.from')
  let recipients = 0
  for (const [i, one] of personalizations.entries()) recipients += checkPersonalization(one, i, now)
  if (recipients > RECIPIENTS_MAX) {
    throw reject(
      `The total number of recipients must be at most ${RECIPIENTS_MAX}. You provided ${recipients}.`,
      'personalizations',
      '-Personalizations-Errors',
    )
  }
  if (reply_to && reply_to_list)
    throw reject('Only one of reply_to and reply_to_list may be provided.', 'reply_to')
  for (const one of [...(reply_to ? [reply_to] : []), ...(reply_to_list ?? [])]) {
    if (!isAddress(one.email))
      throw reject('The reply_to email does not contain a valid address.', 'reply_to.email')
  }
  checkHeaders(body.headers, 'headers')
  if ((categories ?? []).length > CATEGORIES_MAX) {
    throw reject(
      `The categories parameter must have at most ${CATEGORIES_MAX} categories.`,
      'categories',
      'message.categories',
    )
  }
  if (Buffer.byteLength(JSON.stringify(custom_args ?? {})) > CUSTOM_ARGS_BYTES_MAX) {
    throw reject(
      `The custom_args must be at most ${CUSTOM_ARGS_BYTES_MAX} bytes.`,
      'custom_args',
      'message.custom_args',
    )
  }
  checkSendAt(body.send_at, 'send_at', now)
}

function checkPersonalization(one: Personalization, i: number, now: Date): number {
  const field = `personalizations.${i}`
  const lists = { to: one.to ?? [], cc: one.cc ?? [], bcc: one.bcc ?? [] }
  if (lists.to.length === 0) {
    throw reject(
      'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
      `${field}.to`,
      'message.personalizations.to',
    )
  }
  const known = new Set<string>()
  for (const [name, list] of Object.entries(lists)) {
    for (const [at, { email }] of list.entries()) {
      if (!isAddress(email))
        throw reject(
          'Does not contain a valid address.',
          `${field}.${name}.${at}.email`,
          `message.personalizations.${name}`,
        )
      if (known.has(email.toLowerCase())) {
        throw reject(
          `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${email}] in the ${field}.${name} field.`,
          field,
          'message.recipient-errors',
        )
      }
      known.add(email.toLowerCase())
    }
  }
  if (one.from && !isAddress(one.from.email))
    throw reject('The from email does not contain a valid address.', `${field}.from.email`)
  checkHeaders(one.headers, `${field}.headers`)
  checkSendAt(one.send_at, `${field}.send_at`, now)
  return known.size
}

function checkHeaders(given: SendBody['headers'], field: string): void {
  const reserved = new Set(RESERVED_HEADERS.toLowerCase().split(', '))
  for (const [name, value] of Object.entries(given ?? {})) {
    if (reserved.has(name.toLowerCase())) {
      throw reject(
        `The header: ${name} cannot be one of the reserved headers: ${RESERVED_HEADERS}`,
        field,
        'message.headers',
      )
    }
    if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name) || /[\r\n]/.test(value)) {
      throw reject(
        'Header names must be printable ASCII without a colon, and values must have no line break.',
        field,
        'message.headers',
      )
    }
  }
}

function checkSendAt(sendAt: number | null | undefined, field: string, now: Date): void {
  if (sendAt === null || sendAt === undefined) return
  if (sendAt - now.getTime() / 1000 > SEND_AT_SECONDS_MAX) {
    throw reject(
      'The send_at parameter must be a Unix timestamp at most 72 hours in the future.',
      field,
      'message.send_at',
    )
  }
}

function checkContent(
  { content, subject, personalizations }: SendBody,
  template: Version | null,
): void {
  const hasSubject =
    Boolean(subject) ||
    Boolean(template?.subject) ||
    personalizations.every((one) => Boolean(one.subject))
  if (!hasSubject) {
    throw reject(
      'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
      'subject',
      'message.subject',
    )
  }
  if (template === null && (content ?? []).length === 0) {
    throw reject(
      'Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block. We typically suggest both text/plain and text/html blocks are included, but only one block is required.',
      'content',
      'message.content',
    )
  }
  const order = ['text/plain', 'text/x-amp-html', 'text/html']
  let last = -1
  for (const [i, { type, value }] of (content ?? []).entries()) {
    if (value === '')
      throw reject(
        'The content value must be a string at least one character in length.',
        `content.${i}.value`,
        'message.content.value',
      )
    if (type === '' || /[\r\n;]/.test(type))
      throw reject(
        'The content type must be a string at least one character in length, and cannot contain ; or CRLF characters.',
        `content.${i}.type`,
        'message.content.type',
      )
    const at = order.indexOf(type.toLowerCase())
    if (at >= 0 && at <= last)
      throw reject(
        'If present, text/plain and text/html may only be provided once, and text/plain must be first.',
        'content',
        'message.content',
      )
    last = Math.max(last, at)
  }
}

function readFiles({ attachments }: SendBody): readonly MailFile[] {
  return (attachments ?? []).map(({ content, filename, type, disposition, content_id }, i) => {
    const bytes = readBase64(content)
    if (bytes === null)
      throw reject(
        'The attachment content must be base64 encoded.',
        `attachments.${i}.content`,
        'message.attachments.content',
      )
    if (bytes.length === 0)
      throw reject(
        'The attachment content must be a string at least one character in length.',
        `attachments.${i}.content`,
        'message.attachments.content',
      )
    return {
      filename,
      content: bytes,
      contentType: type ?? undefined,
      contentId: content_id ?? undefined,
      inline: disposition === 'inline',
    }
  })
}

type One = {
  readonly body: SendBody
  readonly one: Personalization
  readonly template: Version | null
  readonly files: readonly MailFile[]
  readonly id: string
}

async function composeOne(
  call: Call,
  { body, one, template, files, id }: One,
): Promise<OutgoingMail> {
  const from = toMailbox(one.from ?? body.from)
  const to = (one.to ?? []).map(toMailbox)
  const cc = (one.cc ?? []).map(toMailbox)
  const bcc = (one.bcc ?? []).map(toMailbox)
  const replyTo = [...(body.reply_to ? [body.reply_to] : []), ...(body.reply_to_list ?? [])].map(
    toMailbox,
  )
  const texts = await textsOf(body, one, template)
  const raw = await compose({
    ...{ from, to, cc, replyTo, files, ...texts },
    headers: headersOf({ ...body.headers, ...one.headers }),
    messageId: `${id}@geopod-ismtpd-1`,
    date: call.now,
  })
  const metadata = Object.entries({ ...body.custom_args, ...one.custom_args })
  const sendAt = one.send_at ?? body.send_at ?? null
  const isLater = sendAt !== null && sendAt * 1000 > call.now.getTime()
  return {
    ...{
      raw,
      id,
      mailFrom: from.address,
      recipients: addressesOf(to, cc, bcc),
      subject: texts.subject,
    },
    tags: body.categories ?? [],
    metadata: Object.fromEntries(metadata.map(([name, value]) => [name, String(value)])),
    scheduledAt: isLater ? new Date(sendAt * 1000).toISOString() : null,
  }
}

async function textsOf(body: SendBody, one: Personalization, template: Version | null) {
  const part = (type: string) =>
    body.content?.find((content) => content.type.toLowerCase() === type)?.value
  const given = {
    subject: one.subject ?? body.subject ?? '',
    text: part('text/plain'),
    html: part('text/html'),
    amp: part('text/x-amp-html'),
  }
  if (template === null) {
    const replaced = Object.entries(given).map(([name, text]) => [
      name,
      substitute(text, one.substitutions),
    ])
    return { ...given, ...Object.fromEntries(replaced) } as typeof given // The same fields.
  }
  const data = one.dynamic_template_data ?? {}
  try {
    return {
      subject: template.subject
        ? await renderHandlebars(template.subject, data, { isHtml: false })
        : given.subject,
      text: template.plain_content
        ? await renderHandlebars(template.plain_content, data, { isHtml: false })
        : given.text,
      html: template.html_content
        ? await renderHandlebars(template.html_content, data, { isHtml: true })
        : given.html,
      amp: given.amp,
    }
  } catch (error) {
    if (!(error instanceof TemplateFailed)) throw error
    throw reject(
      `The template cannot be rendered: ${error.message}`,
      'template_id',
      'message.template_id',
    )
  }
}

function substitute(
  text: string | undefined,
  substitutions: Personalization['substitutions'],
): string | undefined {
  let replaced = text
  for (const [tag, value] of Object.entries(substitutions ?? {})) {
    if (tag !== '') replaced = replaced?.replaceAll(tag, () => value)
  }
  return replaced
}

const toMailbox = ({ email, name }: z.output<typeof address>): Mailbox => ({
  name: name ?? '',
  address: email,
})

const headersOf = (given: Readonly<Record<string, string>>): readonly MailHeader[] =>
  Object.entries(given).map(([name, value]) => ({ name, value }))

async function activeVersion(call: Call, id: string): Promise<Version> {
  const found = await call.work.templates.find(id)
  if (found === null) {
    throw reject(
      `The template_id must be a valid template of this account, you provided '${id}'. Templates are created with POST ${call.baseUrl}v3/templates.`,
      'template_id',
      'message.template_id',
    )
  }
  const { versions } = contentOf(found.content)
  const version = versions.find(({ active }) => Number(active) === 1) ?? versions.at(-1)
  if (version === undefined)
    throw reject('The template has no version.', 'template_id', 'message.template_id')
  return version
}

// Written by the calls below.
const contentOf = (content: unknown) => content as Template

const notFound = () =>
  new Rejected(json(404, { error: 'The requested template was not found' }), 'no such template')

async function getTemplate(call: Call) {
  const found = await call.work.templates.find(call.params['id'] ?? '')
  if (found === null) throw notFound()
  return found
}

type Found = Awaited<ReturnType<typeof getTemplate>>

const presented = ({ id, createdAt, content }: Found) => ({
  id,
  ...contentOf(content),
  updated_at: sqlTime(new Date(createdAt)),
})

const sqlTime = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

async function putTemplate(call: Call, found: Found, content: Template): Promise<Found> {
  const changed = { ...found, alias: found.id, content }
  if (await call.work.templates.put(changed)) return changed
  throw reject('The account has as many templates as it may have.', null)
}

const nameSchema = z.strictObject({
  name: z.string().min(1).max(100),
  generation: z.enum(['legacy', 'dynamic']).nullish(),
})

const templateRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v3/templates',
    run: async (call) => {
      const { name, generation } = readJson(call, nameSchema, invalid)
      const hex = call.work.uuid().replaceAll('-', '')
      const id = generation === 'legacy' ? call.work.uuid() : `d-${hex}`
      const found = { id, alias: id, createdAt: call.now.getTime(), content: null }
      const content = { name, generation: generation ?? 'dynamic', versions: [] }
      return { answer: json(201, presented(await putTemplate(call, found, content))) }
    },
  },
  {
    method: 'GET',
    path: '/v3/templates',
    run: async (call) => {
      const result = (await call.work.templates.list()).map(presented)
      return {
        answer: json(200, { result, templates: result, _metadata: { count: result.length } }),
      }
    },
  },
  {
    method: 'GET',
    path: '/v3/templates/:id',
    run: async (call) => ({ answer: json(200, presented(await getTemplate(call))) }),
  },
  {
    method: 'PATCH',
    path: '/v3/templates/:id',
    run: async (call) => {
      const found = await getTemplate(call)
      const { name } = readJson(call, nameSchema, invalid)
      return {
        answer: json(
          200,
          presented(await putTemplate(call, found, { ...contentOf(found.content), name })),
        ),
      }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/templates/:id',
    run: async (call) => {
      await call.work.templates.remove((await getTemplate(call)).id)
      return { answer: { status: 204, body: null } }
    },
  },
  ...(['POST', 'PATCH'] as const).map(
    (method): Route => ({
      method,
      path:
        method === 'POST' ? '/v3/templates/:id/versions' : '/v3/templates/:id/versions/:version',
      run: async (call) => {
        const found = await getTemplate(call)
        const { versions, ...content } = contentOf(found.content)
        const old = versions.find(({ id }) => id === call.params['version'])
        if (method === 'PATCH' && old === undefined) throw notFound()
        const given = checkBody(call, {
          schema: versionSchema,
          value: parseJson(call, invalid),
          onInvalid: invalid,
        })
        const id = old?.id ?? call.work.uuid()
        const active = Number(given.active ?? old?.active ?? 1)
        const version = { ...old, ...given, id, active, updated_at: sqlTime(call.now) }
        // One version is active.
        const others = versions
          .filter((one) => one.id !== id)
          .map((one) => (active === 1 ? { ...one, active: 0 } : one))
        await putTemplate(call, found, { ...content, versions: [...others, version] })
        return {
          answer: json(method === 'POST' ? 201 : 200, { template_id: found.id, ...version }),
        }
      },
    }),
  ),
]

/** SendGrid. */
export const sendgrid: Provider = {
  name: 'sendgrid',
  hosts: ['api.sendgrid.com', 'api.eu.sendgrid.com'],
  bodyBytesMax: 30 * 1024 * 1024,
  key: ({ authorization }) => /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null,
  routes: [
    { method: 'POST', path: '/v3/mail/send', run: sendMail },
    {
      method: 'POST',
      path: '/v3/mail/batch',
      run: ({ work }) => ({ answer: json(201, { batch_id: work.token() }) }),
    },
    {
      method: 'GET',
      path: '/v3/scopes',
      run: () => ({ answer: json(200, { scopes: ['mail.send'] }) }),
    },
    ...templateRoutes,
  ],
  refuse: ({ why, status, message }) => {
    switch (why) {
      case 'missing_key':
        return errors(401, `Permission denied, wrong credentials. ${message}`)
      case 'invalid_key':
        return errors(
          401,
          `The provided authorization grant is invalid, expired, or revoked. ${message}`,
        )
      case 'unverified':
        return errors(
          403,
          `The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved. ${message}`,
          { field: 'from' },
        )
      default:
        return errors(why === 'full' ? 403 : status, message)
    }
  },
  rateHeaders: ({ limit, remaining, resetAt }) => ({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  }),
}
