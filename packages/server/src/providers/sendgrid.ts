// The API of SendGrid: /v3.

import { z } from 'zod'
import { compose, type Mailbox, type MailFile, readBase64 } from './compose.ts'
import {
  type Answer,
  type Call,
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  Rejected,
  safeHeaders,
  templatesOf,
} from './provider.ts'
import { addressesOf, bearerOf, isAddress, type Problem, readJson } from './read-body.ts'
import { renderHandlebars, TemplateFailed } from './templates.ts'

const RECIPIENTS_MAX = 1_000
const CATEGORIES_MAX = 10
const CUSTOM_ARGS_BYTES_MAX = 10_000
const SEND_AT_SECONDS_MAX = 72 * 60 * 60

const RESERVED_HEADERS =
  'x-sg-id, x-sg-eid, received, dkim-signature, Content-Type, Content-Transfer-Encoding, To, From, Subject, Reply-To, CC, BCC'

const text = z.string().nullish()
const address = z.strictObject({ email: z.string(), name: text })
const addresses = z.array(address).nullish()
const headers = z.record(z.string(), z.string()).nullish()
const args = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish()

/** The fields of a mail that each personalization may replace. */
const own = { subject: text, headers, custom_args: args, send_at: z.int().nullish() }

const personalization = z.strictObject({
  ...own,
  to: addresses,
  cc: addresses,
  bcc: addresses,
  from: address.nullish(),
  substitutions: z.record(z.string(), z.string()).nullish(),
  dynamic_template_data: z.record(z.string(), z.unknown()).nullish(),
})

const attachment = z.strictObject({
  content: z.string(),
  filename: z.string(),
  type: text,
  disposition: z.enum(['attachment', 'inline']).nullish(),
  content_id: text,
})

const sandbox = z.looseObject({ enable: z.boolean().nullish() }).nullish()

const sendSchema = z.strictObject({
  ...own,
  personalizations: z.array(personalization).min(1),
  from: address,
  reply_to: address.nullish(),
  reply_to_list: addresses,
  content: z.array(z.strictObject({ type: z.string(), value: z.string() })).nullish(),
  attachments: z.array(attachment).nullish(),
  template_id: text,
  categories: z.union([z.array(z.string()), z.string().transform((one) => [one])]).nullish(),
  batch_id: text,
  asm: z.unknown().optional(),
  ip_pool_name: text,
  mail_settings: z.looseObject({ sandbox_mode: sandbox }).nullish(),
  tracking_settings: z.unknown().optional(),
})

type SendBody = z.output<typeof sendSchema>
type Personalization = SendBody['personalizations'][number]

const versionSchema = z.strictObject({
  name: text,
  subject: text,
  html_content: text,
  plain_content: text,
  generate_plain_content: z.boolean().nullish(),
  active: z.union([z.int(), z.boolean()]).nullish(),
  editor: text,
  test_data: text,
})

type Version = z.output<typeof versionSchema> & { readonly id: string }
type Template = {
  readonly name: string
  readonly generation: string
  readonly versions: readonly Version[]
}

function errors(status: number, message: string, field: string | null = null): Answer {
  return json(status, { errors: [{ message, field, help: null }] })
}

function reject(field: string | null, message: string): Rejected {
  return new Rejected(
    errors(400, message, field),
    field === null ? message : `${field}: ${message}`,
  )
}

/** Rejects the call unless a rule is kept. */
function must(isKept: unknown, field: string, message: string): asserts isKept {
  if (!isKept) throw reject(field, message)
}

const NO_ADDRESS = 'Does not contain a valid address.'

/** SendGrid's texts for fields that are missing. */
const MISSING: Readonly<Record<string, string>> = {
  personalizations:
    'The personalizations field is required and must have at least one personalization.',
  from: 'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.',
}

function invalid({ kind, field }: Problem): Rejected {
  if (kind === 'json' || field === '') return reject(null, 'Bad Request')
  const [first = ''] = field.split('.', 1)
  const known = field === first || field === 'from.email' ? MISSING[first] : undefined
  if (known !== undefined) return reject(first === 'from' ? 'from.email' : field, known)
  return reject(field, kind === 'missing' ? 'This field is required.' : 'Invalid type or value.')
}

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
  const files = readFiles(body)
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
  must(isAddress(from.email), 'from.email', 'The from email does not contain a valid address.')
  const counts = personalizations.map((one, i) => checkPersonalization(one, i, now))
  const isCountKept = counts.reduce((sum, count) => sum + count, 0) <= RECIPIENTS_MAX
  must(isCountKept, 'personalizations', `There may be up to ${RECIPIENTS_MAX} recipients.`)
  must(
    !(reply_to && reply_to_list),
    'reply_to',
    'Only one of reply_to and reply_to_list may be set.',
  )
  const replies = [...(reply_to ? [reply_to] : []), ...(reply_to_list ?? [])]
  must(
    replies.every(({ email }) => isAddress(email)),
    'reply_to.email',
    NO_ADDRESS,
  )
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
      must(isAddress(email), `${field}.${name}.${at}.email`, NO_ADDRESS)
      must(
        !known.has(email.toLowerCase()),
        field,
        `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${email}] in the ${field}.${name} field.`,
      )
      known.add(email.toLowerCase())
    }
  }
  must(!one.from || isAddress(one.from.email), `${field}.from.email`, NO_ADDRESS)
  checkOwn(one, `${field}.`, now)
  return known.size
}

const RESERVED = new Set(RESERVED_HEADERS.toLowerCase().split(', '))

function checkOwn(
  { headers, send_at }: Pick<SendBody, 'headers' | 'send_at'>,
  prefix: string,
  now: Date,
): void {
  const given = Object.entries(headers ?? {})
  const reserved = given.find(([name]) => RESERVED.has(name.toLowerCase()))?.[0]
  const rule = `The header: ${reserved} cannot be one of the reserved headers: ${RESERVED_HEADERS}`
  must(reserved === undefined, `${prefix}headers`, rule)
  must(
    safeHeaders(given),
    `${prefix}headers`,
    'Headers must not have line breaks, nor names a colon.',
  )
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

function readFiles({ attachments }: SendBody): readonly MailFile[] {
  return (attachments ?? []).map(({ content, filename, type, disposition, content_id }, i) => {
    const bytes = readBase64(content)
    const field = `attachments.${i}.content`
    must(bytes, field, 'The attachment content must be base64 encoded.')
    must(
      bytes.length,
      field,
      'The attachment content must be a string at least one character in length.',
    )
    const named = { contentType: type ?? undefined, contentId: content_id ?? undefined }
    return { filename, content: bytes, ...named, inline: disposition === 'inline' }
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
  const boxes = (
    list: readonly z.output<typeof address>[] | null | undefined,
  ): readonly Mailbox[] =>
    (list ?? []).map(({ email, name }) => ({ name: name ?? '', address: email }))
  const from = { name: (one.from ?? body.from).name ?? '', address: (one.from ?? body.from).email }
  const [to, cc, bcc] = [boxes(one.to), boxes(one.cc), boxes(one.bcc)]
  const texts = await textsOf(body, one, template)
  const raw = await compose(call, {
    ...{ from, to, cc, files, ...texts, messageId: `${id}@geopod-ismtpd-1`, date: call.now },
    replyTo: boxes(body.reply_to ? [body.reply_to] : body.reply_to_list),
    headers: safeHeaders(Object.entries({ ...body.headers, ...one.headers })) ?? [],
  })
  const metadata = Object.entries({ ...body.custom_args, ...one.custom_args })
  const at = new Date((one.send_at ?? body.send_at ?? 0) * 1000)
  return {
    ...{ raw, id, mailFrom: from.address, recipients: addressesOf(to, cc, bcc) },
    ...{ subject: texts.subject, tags: body.categories ?? [] },
    metadata: Object.fromEntries(metadata.map(([name, value]) => [name, String(value)])),
    scheduledAt: at > call.now ? at.toISOString() : null,
  }
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
  const render = (given: string | null | undefined, isHtml: boolean) =>
    given
      ? renderHandlebars(given, one.dynamic_template_data ?? {}, { isHtml }).catch(failed)
      : null
  return {
    subject: (await render(template.subject, false)) ?? subject,
    text: (await render(template.plain_content, false)) ?? text,
    html: (await render(template.html_content, true)) ?? html,
    amp,
  }
}

function failed(error: unknown): never {
  if (!(error instanceof TemplateFailed)) throw error
  throw reject('template_id', `The template cannot be rendered: ${error.message}`)
}

const templates = templatesOf<Template>({
  missing: (_name, { path }) => {
    const isSend = path === '/v3/mail/send'
    const message = 'The template does not exist here. Create it with POST /v3/templates.'
    if (isSend) return reject('template_id', message)
    return new Rejected(json(404, { error: message }), message)
  },
  full: () => reject(null, 'The account has as many templates as it may have.'),
})

async function activeVersion(call: Call, id: string): Promise<Version> {
  const { versions } = (await templates.get(call, id)).content
  const version = versions.find(({ active }) => active === 1) ?? versions.at(-1)
  must(version, 'template_id', 'The template has no version.')
  return version
}

type Found = Awaited<ReturnType<typeof templates.get>>

const presented = ({ id, createdAt, content }: Found) => {
  const updated_at = new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')
  return { id, ...content, updated_at }
}

const nameSchema = z.strictObject({
  name: z.string().min(1).max(100),
  generation: z.enum(['legacy', 'dynamic']).nullish(),
})

async function saveVersion(call: Call) {
  const found = await templates.get(call)
  const { versions, ...content } = found.content
  const old = versions.find(({ id }) => id === call.params['version'])
  const given = readJson(call, versionSchema, invalid)
  const id = old?.id ?? call.work.uuid()
  const active = Number(given.active ?? old?.active ?? 1)
  const version = { ...old, ...given, id, active }
  // One version is active.
  const others = versions
    .filter((one) => one.id !== id)
    .map((one) => (active === 1 ? { ...one, active: 0 } : one))
  await templates.put(call, { ...found, content: { ...content, versions: [...others, version] } })
  return { template_id: found.id, ...version }
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
      'POST /v3/mail/batch 201': ({ work }) => ({ batch_id: work.token() }),
      'GET /v3/scopes': () => ({ scopes: ['mail.send'] }),
      'POST /v3/templates 201': async (call) => {
        const { name, generation } = readJson(call, nameSchema, invalid)
        const uuid = call.work.uuid()
        const id = generation === 'legacy' ? uuid : `d-${uuid.replaceAll('-', '')}`
        const content = { name, generation: generation ?? 'dynamic', versions: [] }
        return presented(await templates.put(call, { id, alias: id, content }))
      },
      'GET /v3/templates': async (call) => {
        const result = (await templates.list(call)).map(presented)
        return { result, templates: result, _metadata: { count: result.length } }
      },
      'GET /v3/templates/:id': async (call) => presented(await templates.get(call)),
      'DELETE /v3/templates/:id': async (call) => void (await templates.remove(call)),
      'POST /v3/templates/:id/versions 201': saveVersion,
      'PATCH /v3/templates/:id/versions/:version': saveVersion,
    }),
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
          'from',
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
