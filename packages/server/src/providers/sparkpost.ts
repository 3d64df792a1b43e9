// The API of SparkPost: /api/v1.

import { z } from 'zod'
import type { Mailbox } from './compose.ts'
import {
  filledTexts,
  mailOf,
  partsOf,
  rawMailOf,
  readHead,
  readTime,
  text,
  texts,
  variables,
} from './mail-fields.ts'
import {
  type Call,
  type Codes,
  codeOf,
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  Rejected,
  templatesOf,
} from './provider.ts'
import { type Problem, readJson } from './read-body.ts'

const RECIPIENTS_MAX = 2_000
const SCHEDULED_HOURS_MAX = 72

const address = z.union([
  z.string().transform((email) => ({ email, name: null, header_to: null })),
  z.strictObject({ ...texts('name', 'header_to'), email: z.string() }),
])

const files = z.array(z.strictObject({ name: z.string(), type: text, data: z.string() })).nullish()

const contentSchema = z.strictObject({
  ...texts('subject', 'html', 'text', 'amp_html', 'reply_to', 'template_id', 'email_rfc822'),
  ...{ from: address.nullish(), headers: variables, attachments: files, inline_images: files },
  use_draft_template: z.boolean().nullish(),
})

const sendSchema = z.strictObject({
  ...texts('campaign_id', 'description', 'return_path'),
  ...{ metadata: variables, substitution_data: variables, content: contentSchema.nullish() },
  options: z.looseObject({ start_time: text }).nullish(),
  recipients: z.array(
    z.strictObject({
      ...{ address, metadata: variables, substitution_data: variables, return_path: text },
      tags: z.array(z.string()).nullish(),
    }),
  ),
})

const templateSchema = z.strictObject({
  ...texts('id', 'name', 'description'),
  ...{ published: z.boolean().nullish(), content: contentSchema.nullish() },
  options: variables,
})

type Body = z.output<typeof sendSchema>
type Recipient = Body['recipients'][number]
type Content = z.output<typeof contentSchema>

const errorOf = (
  status: number,
  error: { readonly message: string; readonly code?: string; readonly description?: string },
) => json(status, { errors: [error] })

type Kind = readonly [code: string, status: number]
const WRONG: Kind = ['1300', 422]
const MISSING: Kind = ['1400', 422]
const NOT_FOUND: Kind = ['1600', 404]
const CONFLICT: Kind = ['1602', 409]

const reject = (message: string, description: string, [code, status]: Kind = WRONG) =>
  new Rejected(errorOf(status, { message, code, description }), `${message}: ${description}`)

const missing = (what: string) => reject('required field is missing', what, MISSING)

const invalid = ({ kind, field }: Problem) => {
  if (kind === 'json' || field === '')
    return reject('invalid data format/type', 'Problems parsing request as JSON')
  return kind === 'missing' ? missing(`${field} is required`) : badFormat(field)
}

const badFormat = (field: string) =>
  reject('invalid data format/type', `Error validating domain or value for field '${field}'`)

const parts = partsOf({
  address: (field) => badFormat(field),
  file: (field) => reject('invalid data format/type', `'${field}' must be valid base64`),
  header: (field) => badFormat(field),
  reserved: new Set(['from', 'subject', 'reply-to', 'to', 'bcc', 'content-type', 'return-path']),
})

const templates = templatesOf<z.output<typeof templateSchema>>({
  missing: (id, { baseUrl }) => {
    const create = `create it with POST ${baseUrl}api/v1/templates`
    return reject('resource not found', `Template '${id}' does not exist; ${create}`, NOT_FOUND)
  },
  full: () => reject('invalid data', 'The account has as many templates as it may have'),
})

async function send(call: Call) {
  const body = readJson(call, sendSchema, invalid)
  const { recipients, options } = body
  if (recipients.length === 0) throw missing('At least one valid recipient is required')
  if (recipients.length > RECIPIENTS_MAX) {
    throw reject('invalid data', `There may be up to ${RECIPIENTS_MAX} recipients`)
  }
  if (!body.content) throw missing('content object or template_id required')
  const start = options?.start_time
  const at = start ? readTime(start, call.now, SCHEDULED_HOURS_MAX) : null
  if (start && at === null) {
    throw reject('invalid data', `start_time must be at most ${SCHEDULED_HOURS_MAX} hours from now`)
  }
  const name = body.content.template_id
  const stored = name ? (await templates.get(call, name)).content.content : null
  const content = { ...body.content, ...stored }
  const id = BigInt(`0x${call.work.uuid().replaceAll('-', '').slice(0, 15)}`).toString()
  const mails: OutgoingMail[] = []
  for (const [i, recipient] of recipients.entries()) {
    const own = i === 0 ? id : `${id}.${i}`
    mails.push(await composeOne(call, recipient, { body, content, at, id: own, batch: id }))
  }
  const results = { total_rejected_recipients: 0, total_accepted_recipients: mails.length, id }
  return { answer: json(200, { results }), mails }
}

type Shared = {
  readonly body: Body
  readonly content: Content
  readonly at: Date | null
  readonly id: string
  readonly batch: string
}

/** Each recipient gets a mail alone; `header_to` is whom it shows. */
async function composeOne(call: Call, recipient: Recipient, { body, content, ...own }: Shared) {
  const box = boxOf(recipient.address, 'recipients.address')
  const tags = [...(body.campaign_id ? [body.campaign_id] : []), ...(recipient.tags ?? [])]
  const metadata = { ...body.metadata, ...recipient.metadata }
  const shared = { ...own, tags, metadata, recipients: [box.address] }
  const messageId = `${own.id}@sparkpostmail.com`
  if (content.email_rfc822) {
    const head = readHead(Buffer.from(content.email_rfc822))
    const mailFrom = parts.mailboxes(head.all('from'), 'content.email_rfc822')[0]?.address
    if (mailFrom === undefined) throw missing('content.email_rfc822 needs a From header')
    return rawMailOf(call, head, { ...shared, messageId, mailFrom, metadata: textsOf(metadata) })
  }
  if (!content.from) throw missing('content.from is required')
  if (!content.subject) throw missing('content.subject is required')
  if (!content.html && !content.text) {
    throw missing('At least one of text or html needs to exist in content')
  }
  const { header_to } = recipient.address
  const shown = header_to ? parts.mailboxes(header_to, 'recipients.address.header_to') : [box]
  const { CC, ...headers } = content.headers ?? {}
  const data = {
    address: recipient.address,
    ...body.substitution_data,
    ...recipient.substitution_data,
  }
  const given = { subject: content.subject, text: content.text, html: content.html }
  return mailOf(call, {
    ...{ ...shared, messageId, from: boxOf(content.from, 'content.from') },
    ...{ to: shown, cc: typeof CC === 'string' ? parts.mailboxes(CC, 'content.headers') : [] },
    ...(await filledTexts(withBlocks(given), data, {
      reject: (why) => reject('substitution language syntax error', why),
    })),
    amp: content.amp_html,
    replyTo: parts.mailboxes(content.reply_to, 'content.reply_to'),
    headers: parts.headers(headers, 'content.headers'),
    files: [
      ...(content.attachments ?? []).map((one) => fileOf(one, false)),
      ...(content.inline_images ?? []).map((one) => fileOf(one, true)),
    ],
  })
}

const textsOf = (metadata: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, String(value)]))

const boxOf = ({ email, name }: Recipient['address'], field: string): Mailbox =>
  name
    ? parts.box({ email, name }, field)
    : (parts.mailboxes(email, field)[0] ?? parts.box({ email }, field))

function fileOf(
  { name, type, data }: NonNullable<Content['attachments']>[number],
  inline: boolean,
) {
  const own = inline ? ({ content_id: name, disposition: 'inline' } as const) : {}
  const field = inline ? 'content.inline_images' : 'content.attachments'
  return parts.file({ filename: name, type, content: data, ...own }, field)
}

type Texts = { readonly [name in 'subject' | 'text' | 'html']: string | null | undefined }

/** Its `{{if x}}…{{end}}`, `{{each x}}` and `{{x or 'y'}}` as those of Handlebars. */
function withBlocks(texts: Texts): Texts {
  const converted = (template: string | null | undefined) => {
    const open: string[] = []
    return template?.replaceAll(/\{\{\s*([^{}]{1,300}?)\s*\}\}/g, (tag, inner: string) => {
      const [, block, value = ''] = /^(if|each)\s+(.+)$/s.exec(inner) ?? []
      if (block !== undefined) {
        open.push(block)
        return `{{#${block} ${value}}}`
      }
      if (inner === 'end') return `{{/${open.pop() ?? 'if'}}}`
      const [, name, other = ''] = /^([\w.]+)\s+or\s+'([^']*)'$/.exec(inner) ?? []
      if (name !== undefined) return `{{insert ${name} "default=${other.replaceAll('"', '')}"}}`
      return tag.replace('loop_var', 'this')
    })
  }
  return {
    subject: converted(texts.subject),
    text: converted(texts.text),
    html: converted(texts.html),
  }
}

const presented = ({ id, createdAt, content }: Awaited<ReturnType<typeof templates.get>>) => ({
  ...{ ...content, id, published: content.published ?? false },
  last_update_time: new Date(createdAt).toISOString(),
})

const saveTemplate = (isNew: boolean) => async (call: Call) => {
  const given = readJson(call, templateSchema, invalid)
  const old = isNew ? null : await templates.get(call)
  const id = old?.id ?? (given.id || call.work.uuid())
  const content = {
    ...old?.content,
    ...given,
    content: { ...old?.content.content, ...given.content },
  }
  if (!content.content.from || !content.content.subject) {
    throw missing('content.from and content.subject are required')
  }
  if (isNew && (await templates.find(call, id)) !== null) {
    throw reject('resource conflict', `A template with id '${id.slice(0, 100)}' exists`, CONFLICT)
  }
  await templates.put(call, { ...old, id, alias: id, content })
  return { results: { id } }
}

const CODES: Codes<string | null> = {
  missing_key: [401, null],
  invalid_key: [401, null],
  unverified: [400, '7001'],
  full: [420, '2102'],
}

/** SparkPost. */
export const sparkpost: Provider = {
  name: 'sparkpost',
  hosts: ['api.sparkpost.com', 'api.eu.sparkpost.com'],
  bodyBytesMax: 28 * 1024 * 1024,
  key: ({ authorization = '' }) => (/^[^\s:]+$/.test(authorization) ? authorization : null),
  routes: [
    { method: 'POST', path: '/api/v1/transmissions', run: send },
    ...jsonRoutes({
      'GET /api/v1/transmissions/:id': async ({ work, params }) => {
        const found = await work.mails.find(params['id'] ?? '')
        if (found === null) throw reject('resource not found', 'no such transmission', NOT_FOUND)
        const { call, state, subject } = found
        return { results: { transmission: { id: call.id, state, content: { subject } } } }
      },
      'DELETE /api/v1/transmissions/:id': async ({ work, params }) => {
        const id = params['id'] ?? ''
        const known = await work.mails.listBatches()
        if (!known.some(({ batch, state }) => batch === id && state === 'scheduled'))
          throw reject('resource not found', 'no such scheduled transmission', NOT_FOUND)
        await work.mails.changeBatch(id, 'canceled')
      },
      'POST /api/v1/templates': saveTemplate(true),
      'PUT /api/v1/templates/:id': saveTemplate(false),
      'GET /api/v1/templates': async (call) => ({
        results: (await templates.list(call)).map(presented),
      }),
      'GET /api/v1/templates/:id': async (call) => ({
        results: presented(await templates.get(call)),
      }),
      'DELETE /api/v1/templates/:id': async (call) => {
        await templates.remove(call)
        return {}
      },
      'GET /api/v1/account': () => ({ results: { company_name: 'Mayfly', status: 'active' } }),
    }),
  ],
  refuse: (refusal) => {
    const [status, code] = codeOf(refusal, CODES, () => null)
    const { why, message } = refusal
    const own = code === null ? {} : { code }
    if (status === 401) return errorOf(status, { message: `Unauthorized. ${message}` })
    if (why !== 'unverified') return errorOf(status, { message, ...own })
    const description = `Unconfigured Sending Domain. ${message}`
    return errorOf(status, { message: 'Invalid domain', ...own, description })
  },
}
