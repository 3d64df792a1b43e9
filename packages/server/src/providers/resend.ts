// The API of Resend.

import { z } from 'zod'
import { compose, type MailFile, readBase64 } from './compose.ts'
import {
  type Answer,
  type Call,
  type Item,
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  type Refusal,
  Rejected,
  templatesOf,
} from './provider.ts'
import {
  addressesOf,
  bearerOf,
  checkBody,
  type Problem,
  parseJson,
  readJson,
  readMailboxes,
  taggedHeaders,
} from './read-body.ts'
import { renderMustache, TemplateFailed } from './templates.ts'

const RECIPIENTS_MAX = 50
const BATCH_MAX = 100
const SCHEDULED_DAYS_MAX = 30

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]).nullish()
const variables = z.record(z.string(), z.union([z.string(), z.number()])).nullish()

const bytesSchema = z.array(z.int().min(0).max(255))

const emailSchema = z.strictObject({
  from: z.string().nullish(),
  to: list,
  cc: list,
  bcc: list,
  reply_to: list,
  replyTo: list,
  subject: z.string().nullish(),
  html: z.string().nullish(),
  text: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
  attachments: z
    .array(
      z.strictObject({
        filename: z.string().nullish(),
        content: z
          .union([
            z.string(),
            // The bytes, from the SDKs for Go and Python, and as JSON of a Buffer.
            bytesSchema,
            z.strictObject({ type: z.literal('Buffer'), data: bytesSchema }),
          ])
          .nullish(),
        path: z.string().nullish(),
        content_type: z.string().nullish(),
        content_id: z.string().nullish(),
        inline_content_id: z.string().nullish(),
      }),
    )
    .nullish(),
  tags: z.array(z.strictObject({ name: z.string(), value: z.string() })).nullish(),
  scheduled_at: z.string().nullish(),
  topic_id: z.string().nullish(),
  template: z.strictObject({ id: z.string(), variables }).nullish(),
})

type Email = z.output<typeof emailSchema>

const templateSchema = z.strictObject({
  name: z.string().nullish(),
  alias: z.string().nullish(),
  from: z.string().nullish(),
  subject: z.string().nullish(),
  reply_to: list,
  html: z.string().nullish(),
  text: z.string().nullish(),
  variables: z
    .array(
      z.strictObject({
        key: z.string(),
        type: z.enum(['string', 'number']).nullish(),
        fallback_value: z.union([z.string(), z.number()]).nullish(),
      }),
    )
    .nullish(),
})

type Template = z.output<typeof templateSchema> & { readonly status: 'draft' | 'published' }

function error(statusCode: number, name: string, message: string): Answer {
  return json(statusCode, { statusCode, name, message })
}

const reject = (status: number, name: string, message: string) =>
  new Rejected(error(status, name, message), message)
const invalid = (message: string) => reject(422, 'validation_error', message)
const missing = (field: string) =>
  reject(422, 'missing_required_field', `Missing \`${field}\` field.`)

function problem({ kind, field }: Problem): Rejected {
  if (kind === 'json')
    return reject(400, 'validation_error', 'The request body must be valid JSON.')
  return kind === 'missing' ? missing(field) : invalid(`Invalid \`${field}\` field.`)
}

async function sendOne(call: Call) {
  const key = call.headers['idempotency-key']
  const body = parseJson(call, problem)
  const mail = await readEmail(call, body)
  return { answer: json(200, { id: mail.id }), mails: [mail], ...(await claim(call, key)) }
}

/** Claims the key of a call; rejects it, or answers it again, where an earlier call has the key. */
async function claim(call: Call, key: string | undefined): Promise<{ readonly once?: string }> {
  if (key === undefined) return {}
  if (key.length === 0 || key.length > 256) {
    throw reject(
      400,
      'invalid_idempotency_key',
      'The idempotency key must be between 1 and 256 characters.',
    )
  }
  const claimed = await call.work.claimOnce(key, call.body)
  switch (claimed.state) {
    case 'claimed':
      return { once: claimed.token }
    case 'answered':
      // Written by `sendOne` or `sendBatch`.
      throw new Rejected(claimed.answer as Answer, REPEATED)
    case 'differs':
      throw reject(
        409,
        'invalid_idempotent_request',
        'This idempotency key has been used with a different payload. Retrying this request is useless without changing the idempotency key or payload.',
      )
    case 'running':
      throw reject(
        409,
        'concurrent_idempotent_requests',
        'Another request with the same idempotency key is in progress. Try again later.',
      )
  }
}

const REPEATED = 'the call repeats an earlier one, and got its answer'

async function sendBatch(call: Call) {
  const body = parseJson(call, problem)
  if (!Array.isArray(body)) throw invalid('The request body must be an array of emails.')
  if (body.length === 0 || body.length > BATCH_MAX)
    throw invalid(`A batch must have between 1 and ${BATCH_MAX} emails.`)
  const isPermissive = call.headers['x-batch-validation'] === 'permissive'
  const items: Item[] = []
  for (const [index, one] of body.entries()) {
    try {
      const mail = await readEmail(call, one, true)
      items.push({ mails: [mail], accepted: { id: mail.id } })
    } catch (failed) {
      if (!isPermissive || !(failed instanceof Rejected)) throw failed
      items.push({ rejected: { index, message: failed.message }, reason: failed.message })
    }
  }
  if (isPermissive) return { items }
  const mails = items.flatMap((item) => ('mails' in item ? item.mails : []))
  const data = mails.map(({ id }) => ({ id }))
  return {
    answer: json(200, { data }),
    mails,
    ...(await claim(call, call.headers['idempotency-key'])),
  }
}

async function readEmail(call: Call, body: unknown, isOfBatch = false): Promise<OutgoingMail> {
  const given = checkBody(call, { schema: emailSchema, value: body, onInvalid: problem })
  const email = given.template ? await withTemplate(call, given, given.template) : given
  if (!email.from) throw missing('from')
  const [from, ...others] = mailboxes([email.from], 'from')
  if (from === undefined || others.length > 0) throw invalidAddress('from')
  const to = mailboxes(email.to, 'to')
  if (to.length === 0) throw missing('to')
  const [cc, bcc] = [mailboxes(email.cc, 'cc'), mailboxes(email.bcc, 'bcc')]
  const recipients = addressesOf(to, cc, bcc)
  if ([to, cc, bcc].some(({ length }) => length > RECIPIENTS_MAX)) {
    throw invalid(
      `The \`to\` field must have at most ${RECIPIENTS_MAX} addresses; so must \`cc\` and \`bcc\`.`,
    )
  }
  if (email.subject === undefined || email.subject === null) throw missing('subject')
  if (!email.html && !email.text)
    throw reject(422, 'missing_required_field', 'Missing `html` or `text` field.')
  if (isOfBatch && ((email.attachments ?? []).length > 0 || email.scheduled_at)) {
    throw invalid('The `attachments` and `scheduled_at` fields are not supported in a batch.')
  }
  for (const { name, value } of email.tags ?? []) {
    if (!/^[\w-]{1,256}$/.test(name) || !/^[\w-]{0,256}$/.test(value)) {
      throw invalid('Tags should only contain ASCII letters, numbers, underscores, or dashes.')
    }
  }
  const id = call.work.uuid()
  const named = taggedHeaders(email.headers ?? {})
  const raw = await compose(call, {
    ...{ from, to, cc, subject: email.subject, text: email.text, html: email.html },
    replyTo: mailboxes(email.reply_to ?? email.replyTo, 'reply_to'),
    headers: Object.entries(email.headers ?? {}).map(([name, value]) => ({ name, value })),
    files: readFiles(call, email),
    messageId: `${id}@email.resend.dev`,
    date: call.now,
  })
  const tags = email.tags ?? []
  return {
    ...{ raw, id, recipients, mailFrom: from.address, subject: email.subject },
    tags: [...tags.map(({ name }) => name), ...named.tags],
    metadata: {
      ...named.metadata,
      ...Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    },
    scheduledAt: email.scheduled_at ? readTime(email.scheduled_at, call.now) : null,
    mayBeLoose: recipients.every((address) => magicResult(address) !== null),
  }
}

function mailboxes(texts: readonly string[] | null | undefined, field: string) {
  return (texts ?? []).flatMap((text) => {
    const found = readMailboxes(text)
    if (found === null || found.length === 0) throw invalidAddress(field)
    return found
  })
}

function invalidAddress(field: string): Rejected {
  const name = field === 'from' ? 'invalid_from_address' : 'validation_error'
  return reject(
    422,
    name,
    `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`,
  )
}

function readFiles(call: Call, { attachments }: Email): readonly MailFile[] {
  const given = attachments ?? []
  const fetched = call.fetchFiles(
    given.flatMap(({ path, content }) => (path && !content ? [path] : [])),
  )
  return given.map(({ filename, content, path, content_type, content_id, inline_content_id }) => {
    const contentId = content_id ?? inline_content_id ?? undefined
    const bytes =
      typeof content === 'string'
        ? readBase64(content)
        : content
          ? Buffer.from(Array.isArray(content) ? content : content.data)
          : fetched.get(path ?? '')
    if (bytes === undefined)
      throw reject(422, 'invalid_attachment', 'Attachment must have either a `content` or `path`.')
    if (bytes === null) {
      const why = content ? 'its `content` is not valid base64' : 'its `path` could not be fetched'
      throw reject(
        422,
        'invalid_attachment',
        `The attachment ${filename ?? ''} is invalid: ${why}.`,
      )
    }
    const name = filename ?? path?.split(/[?#]/)[0]?.split('/').at(-1) ?? 'attachment'
    return {
      filename: name,
      content: bytes,
      contentType: content_type ?? undefined,
      contentId,
      inline: contentId !== undefined,
    }
  })
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** A time in ISO 8601, or such as `in 5 minutes`, as ISO 8601. */
function readTime(text: string, now: Date): string {
  const [, amount, unit = ''] =
    /^in (\d{1,5}|an?) (s|m|h|d|w)(?:ec|econd|in|inute|our|r|ay|eek)?s?$/i.exec(text.trim()) ?? []
  const seconds =
    amount === undefined ? null : (Number(amount) || 1) * (UNITS[unit.toLowerCase()] ?? 0)
  const at =
    seconds === null
      ? Date.parse(/^\d{4}-\d\d/.test(text) ? text : '')
      : now.getTime() + seconds * 1000
  if (Number.isNaN(at))
    throw invalid('The `scheduled_at` field must be in ISO 8601 format, or such as `in 5 minutes`.')
  if (at - now.getTime() > SCHEDULED_DAYS_MAX * 86_400_000) {
    throw invalid(
      `The \`scheduled_at\` field must be at most ${SCHEDULED_DAYS_MAX} days in the future.`,
    )
  }
  return new Date(at).toISOString()
}

/** The result that an address of resend.dev stands for; null for any other. */
function magicResult(address: string): string | null {
  return (
    /^(delivered|bounced|complained|suppressed)(?:\+[^@]*)?@resend\.dev$/i
      .exec(address)?.[1]
      ?.toLowerCase() ?? null
  )
}

async function withTemplate(
  call: Call,
  email: Email,
  { id, variables }: NonNullable<Email['template']>,
): Promise<Email> {
  if (email.html || email.text)
    throw invalid('An email has either a `template`, or `html` and `text`.')
  const template = (await templates.get(call, id)).content
  if (template.status !== 'published') throw invalid('The template is not published.')
  const values: Record<string, string | number> = { ...variables }
  for (const { key, fallback_value: fallback } of template.variables ?? []) {
    if (values[key] === undefined && (fallback === undefined || fallback === null))
      throw invalid(`Missing required variable \`${key}\` of the template.`)
    values[key] ??= fallback ?? ''
  }
  const render = async (text: string | null | undefined, isHtml: boolean) =>
    text ? await renderMustache(text, values, { isHtml }).catch(failedTemplate) : text
  return {
    ...email,
    from: email.from ?? template.from,
    reply_to: email.reply_to ?? template.reply_to,
    subject: email.subject ?? (await render(template.subject, false)),
    html: await render(template.html, true),
    text: await render(template.text, false),
  }
}

function failedTemplate(failed: unknown): never {
  if (failed instanceof TemplateFailed)
    throw invalid(`The template cannot be rendered: ${failed.message}`)
  throw failed
}

const templates = templatesOf<Template>({
  missing: (_name, { baseUrl }) =>
    reject(404, 'not_found', `Template not found. Create it with POST ${baseUrl}templates.`),
  full: () => invalid('The account has as many templates as it may have.'),
})

type Found = Awaited<ReturnType<typeof templates.get>>

const presented = ({ id, alias, createdAt, content }: Found) => ({
  ...{ object: 'template', id, ...content, alias: alias === id ? null : alias },
  created_at: new Date(createdAt).toISOString(),
})

const listOf = (data: readonly unknown[]) => ({ object: 'list', has_more: false, data })

const changeTemplate =
  (change: (call: Call, found: Found) => Partial<Found>) => async (call: Call) => {
    const found = await templates.get(call)
    const { id } = await templates.put(call, { ...found, ...change(call, found) })
    return { object: 'template', id }
  }

const templateRoutes = jsonRoutes({
  'POST /templates 201': async (call) => {
    const template = readJson(call, templateSchema, problem)
    if (!template.name) throw missing('name')
    if (!template.html) throw missing('html')
    const id = call.work.uuid()
    const content: Template = { ...template, status: 'draft' }
    await templates.put(call, { id, alias: template.alias || id, content })
    return { object: 'template', id }
  },
  'GET /templates': async (call) => listOf((await templates.list(call)).map(presented)),
  'GET /templates/:id': async (call) => presented(await templates.get(call)),
  'PATCH /templates/:id': changeTemplate((call, { alias, content }) => {
    const template = readJson(call, templateSchema, problem)
    return { alias: template.alias || alias, content: { ...content, ...template } }
  }),
  'POST /templates/:id/publish': changeTemplate((_call, { content }) => ({
    content: { ...content, status: 'published' },
  })),
  'DELETE /templates/:id': async (call) => {
    const { id } = await templates.remove(call)
    return { object: 'template', id, deleted: true }
  },
})

async function getEmail(call: Call) {
  const found = await call.work.mails.find(call.params['id'] ?? '')
  if (found === null) throw reject(404, 'not_found', 'Email not found')
  return found
}

type FoundEmail = Awaited<ReturnType<typeof getEmail>>

const boxText = ({ name, address }: FoundEmail['to'][number]) =>
  name ? `${name} <${address}>` : (address ?? '')

function presentedEmail(mail: FoundEmail) {
  const named = new Set([...mail.to, ...mail.cc].map(({ address }) => address?.toLowerCase()))
  const results = mail.recipients.map(magicResult).filter((result) => result !== null)
  const { state, call, createdAt: created_at, subject, html, text } = mail
  const last_event = state === 'sent' || state === 'accepted' ? (results[0] ?? 'delivered') : state
  return {
    ...{
      object: 'email',
      id: call.id,
      created_at,
      subject,
      html,
      text,
      last_event,
      scheduled_at: call.scheduledAt,
    },
    ...{ from: boxText(mail.from), to: mail.to.map(boxText), cc: mail.cc.map(boxText) },
    bcc: mail.recipients.filter((address) => !named.has(address.toLowerCase())),
    reply_to: mail.replyTo.map(boxText),
    message_id: mail.headers.find(({ name }) => name.toLowerCase() === 'message-id')?.value ?? null,
    tags: Object.entries(call.metadata).map(([name, value]) => ({ name, value })),
  }
}

const reschedule = (dueOf: (call: Call) => number | null) => async (call: Call) => {
  const { id } = (await getEmail(call)).call
  if (await call.work.mails.reschedule(id, dueOf(call))) return { object: 'email', id }
  throw invalid('The email is not scheduled.')
}

const presentedFile = (
  { filename, contentType, contentId, sizeBytes, inline }: FoundEmail['attachments'][number],
  at: number,
) => ({
  ...{ id: String(at), filename, content_type: contentType, content_id: contentId },
  ...{ size: sizeBytes, content_disposition: inline ? 'inline' : 'attachment' },
})

const changeSchema = z.strictObject({ scheduled_at: z.string() })

const REFUSALS: Readonly<Partial<Record<Refusal['why'], readonly [status: number, name: string]>>> =
  {
    missing_key: [401, 'missing_api_key'],
    invalid_key: [403, 'invalid_api_key'],
    unverified: [403, 'validation_error'],
    unknown_path: [404, 'not_found'],
    full: [429, 'monthly_quota_exceeded'],
  }

/** Resend. */
export const resend: Provider = {
  name: 'resend',
  hosts: ['api.resend.com'],
  bodyBytesMax: 40 * 1024 * 1024,
  key: bearerOf,
  routes: [
    { method: 'POST', path: '/emails', run: sendOne },
    {
      method: 'POST',
      path: '/emails/batch',
      run: sendBatch,
      join: (results) => {
        const data = results.flatMap((one) => ('accepted' in one ? [one.accepted] : []))
        const errors = results.flatMap((one, index) => {
          if ('refusal' in one) return [{ index, message: one.refusal.message }]
          return 'rejected' in one ? [one.rejected] : []
        })
        return json(200, { data, ...(errors.length === 0 ? {} : { errors }) })
      },
    },
    ...jsonRoutes({
      'GET /emails': async ({ work, query }) => {
        const limit = Math.min(100, Number(query.get('limit')) || 20)
        return listOf((await work.mails.list(limit)).map(presentedEmail))
      },
      'GET /emails/:id': async (call) => presentedEmail(await getEmail(call)),
      'GET /emails/:id/attachments': async (call) =>
        listOf((await getEmail(call)).attachments.map(presentedFile)),
      'PATCH /emails/:id': reschedule((call) =>
        Date.parse(readTime(readJson(call, changeSchema, problem).scheduled_at, call.now)),
      ),
      'POST /emails/:id/cancel': reschedule(() => null),
    }),
    ...templateRoutes,
  ],
  refuse: ({ why, status, message }) => {
    const [own, name] = REFUSALS[why] ?? [status, NAMES[status]]
    return error(own, name ?? (status < 500 ? 'validation_error' : 'application_error'), message)
  },
  rateHeaders: ({ limit, remaining, resetSeconds }) => ({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  }),
}

/** The names of errors that a fault rule injects by their status. */
const NAMES: Readonly<Record<number, string>> = {
  401: 'missing_api_key',
  403: 'invalid_api_key',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'concurrent_idempotent_requests',
  429: 'rate_limit_exceeded',
  451: 'security_error',
}
