// The API of SendGrid: /v3.

import { z } from 'zod'
import type { MailFile } from './compose.ts'
import { files, filledTexts, mailOf, partsOf, people, person, text } from './mail-fields.ts'
import {
  type Call,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  Rejected,
  rateHeadersOf,
} from './provider.ts'
import { bearerOf, readJson } from './read-body.ts'
import { batchRoutes } from './sendgrid-batches.ts'
import {
  activeVersion,
  errors,
  invalid,
  must,
  reject,
  templateRoutes,
  type Version,
} from './sendgrid-templates.ts'

const RECIPIENTS_MAX = 1_000
const CATEGORIES_MAX = 10
const CUSTOM_ARGS_BYTES_MAX = 10_000
const SEND_AT_SECONDS_MAX = 72 * 60 * 60

const RESERVED_HEADERS =
  'x-sg-id, x-sg-eid, received, dkim-signature, Content-Type, Content-Transfer-Encoding, To, From, Subject, Reply-To, CC, BCC'

const headers = z.record(z.string(), z.string()).nullish()
const args = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish()

/** The fields of a mail that each personalization may replace. */
const own = { subject: text, headers, custom_args: args, send_at: z.int().nullish() }

const personalization = z.strictObject({
  ...own,
  ...{ to: people, cc: people, bcc: people, from: person.nullish() },
  substitutions: z.record(z.string(), z.string()).nullish(),
  dynamic_template_data: z.record(z.string(), z.unknown()).nullish(),
})

const sandbox = z.looseObject({ enable: z.boolean().nullish() }).nullish()

const sendSchema = z.strictObject({
  ...own,
  personalizations: z.array(personalization).min(1),
  from: person,
  reply_to: person.nullish(),
  reply_to_list: people,
  content: z.array(z.strictObject({ type: z.string(), value: z.string() })).nullish(),
  attachments: files,
  template_id: text,
  categories: z.union([z.array(z.string()), z.string().transform((one) => [one])]).nullish(),
  batch_id: z.string().max(100).nullish(),
  asm: z.unknown().optional(),
  ip_pool_name: text,
  mail_settings: z.looseObject({ sandbox_mode: sandbox }).nullish(),
  tracking_settings: z.unknown().optional(),
})

type SendBody = z.output<typeof sendSchema>
type Personalization = SendBody['personalizations'][number]

const parts = partsOf({
  address: (field) => {
    const isSender = field === 'from.email'
    const rule = isSender ? 'The from email does not contain' : 'Does not contain'
    return reject(field, `${rule} a valid address.`)
  },
  file: (field, _name, isEmpty) => {
    const rule = isEmpty ? 'a string at least one character in length' : 'base64 encoded'
    return reject(field, `The attachment content must be ${rule}.`)
  },
  header: (field, name) => {
    const rule = `The header: ${name} cannot be one of the reserved headers: ${RESERVED_HEADERS}`
    return reject(
      field,
      name === null ? 'Headers must not have line breaks, nor names a colon.' : rule,
    )
  },
  reserved: new Set(RESERVED_HEADERS.toLowerCase().split(', ')),
})

async function sendMail(call: Call) {
  if (!/^application\/json/i.test(call.headers['content-type'] ?? '')) {
    const message = 'Content-Type should be application/json.'
    throw new Rejected(errors(415, message), message)
  }
  const body = readJson(call, sendSchema, invalid)
  checkMail(body, call.now)
  const id = call.work.token().slice(0, 22)
  const template = body.template_id ? await activeVersion(call, body.template_id) : null
  checkContent(body, template)
  const files = (body.attachments ?? []).map((one, i) =>
    parts.file(one, `attachments.${i}.content`),
  )
  const mails: OutgoingMail[] = []
  for (const [i, one] of body.personalizations.entries()) {
    const mailId = i === 0 ? id : `${id}.${i}`
    mails.push(await composeOne(call, { body, one, template, files, id: mailId }))
  }
  const answer = { headers: { 'x-message-id': id }, body: null }
  if (body.mail_settings?.sandbox_mode?.enable === true) {
    return { answer: { status: 200, ...answer }, note: 'sandbox mode: checked and not sent' }
  }
  return { answer: { status: 202, ...answer }, mails }
}

function checkMail(body: SendBody, now: Date): void {
  const { personalizations, from, categories, custom_args, reply_to, reply_to_list } = body
  parts.box(from, 'from')
  const counts = personalizations.map((one, i) => checkPersonalization(one, i, now))
  const isCountKept = counts.reduce((sum, count) => sum + count, 0) <= RECIPIENTS_MAX
  must(isCountKept, 'personalizations', `There may be up to ${RECIPIENTS_MAX} recipients.`)
  must(
    !(reply_to && reply_to_list),
    'reply_to',
    'Only one of reply_to and reply_to_list may be set.',
  )
  for (const one of repliesOf(body)) parts.box(one, 'reply_to')
  const count = (categories ?? []).length
  must(count <= CATEGORIES_MAX, 'categories', `There may be up to ${CATEGORIES_MAX} categories.`)
  const bytes = Buffer.byteLength(JSON.stringify(custom_args ?? {}))
  must(
    bytes <= CUSTOM_ARGS_BYTES_MAX,
    'custom_args',
    `They may have up to ${CUSTOM_ARGS_BYTES_MAX} bytes.`,
  )
  checkOwn(body, '', now)
}

function checkPersonalization(one: Personalization, i: number, now: Date): number {
  const field = `personalizations.${i}`
  must(
    (one.to ?? []).length > 0,
    `${field}.to`,
    'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
  )
  const known = new Set<string>()
  for (const name of ['to', 'cc', 'bcc'] as const) {
    for (const [at, { email }] of (one[name] ?? []).entries()) {
      parts.box({ email }, `${field}.${name}.${at}`)
      must(
        !known.has(email.toLowerCase()),
        field,
        `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${email}] in the ${field}.${name} field.`,
      )
      known.add(email.toLowerCase())
    }
  }
  if (one.from) parts.box(one.from, `${field}.from`)
  checkOwn(one, `${field}.`, now)
  return known.size
}

function checkOwn(
  { headers, send_at }: Pick<SendBody, 'headers' | 'send_at'>,
  prefix: string,
  now: Date,
): void {
  parts.headers(headers, `${prefix}headers`)
  const isSoon = !send_at || send_at - now.getTime() / 1000 <= SEND_AT_SECONDS_MAX
  must(isSoon, `${prefix}send_at`, 'send_at must be a Unix timestamp at most 72 hours from now.')
}

function checkContent(
  { content, subject, personalizations }: SendBody,
  template: Version | null,
): void {
  const hasSubject = subject || template?.subject || personalizations.every((one) => one.subject)
  must(
    hasSubject,
    'subject',
    'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
  )
  must(
    template !== null || (content ?? []).length > 0,
    'content',
    'Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block. We typically suggest both text/plain and text/html blocks are included, but only one block is required.',
  )
  const order = ['text/plain', 'text/x-amp-html', 'text/html']
  let last = -1
  for (const [i, { type, value }] of (content ?? []).entries()) {
    const isNamed = type !== '' && !/[\r\n;]/.test(type)
    must(isNamed, `content.${i}.type`, 'The content type cannot be empty or contain ; or CRLF.')
    must(
      value,
      `content.${i}.value`,
      'The content value must be a string at least one character in length.',
    )
    const at = order.indexOf(type.toLowerCase())
    must(
      at < 0 || at > last,
      'content',
      'Content types may only be provided once, text/plain first.',
    )
    last = Math.max(last, at)
  }
}

const repliesOf = ({ reply_to, reply_to_list }: SendBody) =>
  reply_to ? [reply_to] : (reply_to_list ?? [])

type One = {
  readonly body: SendBody
  readonly one: Personalization
  readonly template: Version | null
  readonly files: readonly MailFile[]
  readonly id: string
}

async function composeOne(call: Call, { body, one, template, files, id }: One) {
  return mailOf(call, {
    ...(await textsOf(body, one, template)),
    ...{
      id,
      files,
      messageId: `${id}@geopod-ismtpd-1`,
      tags: body.categories,
      batch: body.batch_id,
    },
    from: parts.box(one.from ?? body.from, 'from'),
    ...parts.recipients(one),
    replyTo: parts.boxes(repliesOf(body), 'reply_to'),
    headers: parts.headers({ ...body.headers, ...one.headers }),
    metadata: { ...body.custom_args, ...one.custom_args },
    at: new Date((one.send_at ?? body.send_at ?? 0) * 1000),
  })
}

async function textsOf(body: SendBody, one: Personalization, template: Version | null) {
  const part = (type: string) => body.content?.find((own) => own.type.toLowerCase() === type)?.value
  const [text, html, amp] = [part('text/plain'), part('text/html'), part('text/x-amp-html')]
  const subject = one.subject ?? body.subject ?? ''
  if (template === null) {
    const fill = (given: string) =>
      Object.entries(one.substitutions ?? {}).reduce(
        (filled, [tag, value]) => (tag === '' ? filled : filled.replaceAll(tag, () => value)),
        given,
      )
    return { subject: fill(subject), text: text && fill(text), html: html && fill(html), amp }
  }
  const own = await filledTexts(
    { subject: template.subject, text: template.plain_content, html: template.html_content },
    one.dynamic_template_data ?? {},
    { reject: (why) => reject('template_id', `The template cannot be rendered: ${why}`) },
  )
  return { subject: own.subject ?? subject, text: own.text ?? text, html: own.html ?? html, amp }
}

/** SendGrid. */
export const sendgrid: Provider = {
  name: 'sendgrid',
  hosts: ['api.sendgrid.com', 'api.eu.sendgrid.com'],
  bodyBytesMax: 30 * 1024 * 1024,
  key: bearerOf,
  routes: [
    { method: 'POST', path: '/v3/mail/send', run: sendMail },
    ...jsonRoutes({
      'GET /v3/scopes': () => ({ scopes: ['mail.send'] }),
      // No address is suppressed.
      'GET /v3/suppression/:list': () => [],
      'GET /v3/suppression/:list/:email': () => [],
    }),
    ...batchRoutes,
    ...templateRoutes,
  ],
  refuse: ({ why, status, message }) => {
    const [own, rule, field] = REFUSALS[why] ?? [status, '']
    return errors(own, `${rule} ${message}`.trim(), field)
  },
  rateHeaders: rateHeadersOf('x-ratelimit', ({ resetAt }) => resetAt),
}

const REFUSALS: Readonly<Record<string, readonly [status: number, rule: string, field?: string]>> =
  {
    missing_key: [401, 'Permission denied, wrong credentials.'],
    invalid_key: [401, 'The provided authorization grant is invalid, expired, or revoked.'],
    unverified: [
      403,
      'The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.',
      'from',
    ],
    full: [403, ''],
  }
