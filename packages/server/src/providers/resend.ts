// The API of Resend.

import { z } from 'zod'
import type { MailFile } from './compose.ts'
import { filledTexts, list, mailOf, partsOf, texts } from './mail-fields.ts'
import {
  type Answer,
  type Call,
  type Codes,
  codeOf,
  type Item,
  json,
  type OutgoingMail,
  type Provider,
  Rejected,
  rateHeadersOf,
} from './provider.ts'
import { bearerOf, checkBody, parseJson, taggedHeaders } from './read-body.ts'
import {
  emailRoutes,
  error,
  invalid,
  magicResult,
  missing,
  problem,
  readTime,
  reject,
  templateRoutes,
  templates,
} from './resend-calls.ts'
import { renderMustache } from './templates.ts'

const RECIPIENTS_MAX = 50
const BATCH_MAX = 100

const variables = z.record(z.string(), z.union([z.string(), z.number()])).nullish()

const bytesSchema = z.array(z.int().min(0).max(255))

const emailSchema = z.strictObject({
  ...{ to: list, cc: list, bcc: list, reply_to: list, replyTo: list },
  ...texts('from', 'subject', 'html', 'text', 'scheduled_at', 'topic_id'),
  headers: z.record(z.string(), z.string()).nullish(),
  attachments: z
    .array(
      z.strictObject({
        ...texts('filename', 'path', 'content_type', 'content_id', 'inline_content_id'),
        content: z
          .union([
            z.string(),
            // The bytes, from the SDKs for Go and Python, and as JSON of a Buffer.
            bytesSchema,
            z.strictObject({ type: z.literal('Buffer'), data: bytesSchema }),
          ])
          .nullish(),
      }),
    )
    .nullish(),
  tags: z.array(z.strictObject({ name: z.string(), value: z.string() })).nullish(),
  template: z.strictObject({ id: z.string(), variables }).nullish(),
})

type Email = z.output<typeof emailSchema>

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
  const lists = readRecipients(email)
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
  const tags = email.tags ?? []
  return mailOf(call, {
    ...lists,
    ...{ id, messageId: `${id}@email.resend.dev`, files: readFiles(call, email) },
    ...{ subject: email.subject, text: email.text, html: email.html },
    replyTo: mailboxes(email.reply_to ?? email.replyTo, 'reply_to'),
    headers: Object.entries(email.headers ?? {}).map(([name, value]) => ({ name, value })),
    tags: [...tags.map(({ name }) => name), ...named.tags],
    metadata: {
      ...named.metadata,
      ...Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    },
    at: email.scheduled_at ? await readTime(email.scheduled_at, call.now) : null,
    isResult: (address) => magicResult(address) !== null,
  })
}

function readRecipients(email: Email) {
  if (!email.from) throw missing('from')
  const [from, ...others] = mailboxes([email.from], 'from')
  if (from === undefined || others.length > 0) throw invalidAddress('from')
  const to = mailboxes(email.to, 'to')
  if (to.length === 0) throw missing('to')
  const [cc, bcc] = [mailboxes(email.cc, 'cc'), mailboxes(email.bcc, 'bcc')]
  if ([to, cc, bcc].some(({ length }) => length > RECIPIENTS_MAX)) {
    throw invalid(
      `The \`to\` field must have at most ${RECIPIENTS_MAX} addresses; so must \`cc\` and \`bcc\`.`,
    )
  }
  return { from, to, cc, bcc }
}

const invalidFile = (message: string) => reject(422, 'invalid_attachment', message)

const parts = partsOf({
  address: invalidAddress,
  file: (_field, name) =>
    invalidFile(`The attachment ${name} is invalid: its \`content\` is not valid base64.`),
  header: (field) => invalid(`Invalid \`${field}\` field.`),
  hasEmptyFiles: true,
})

function mailboxes(given: readonly string[] | null | undefined, field: string) {
  if (given?.some((one) => one.trim() === '')) throw invalidAddress(field)
  return parts.mailboxes(given, field)
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
    const named = {
      filename: filename ?? path?.split(/[?#]/)[0]?.split('/').at(-1) ?? 'attachment',
      ...{ contentType: content_type ?? undefined, contentId, inline: contentId !== undefined },
    }
    if (typeof content === 'string') {
      return { ...named, content: parts.bytes(content, 'attachments', filename ?? '') }
    }
    const bytes = content
      ? Buffer.from(Array.isArray(content) ? content : content.data)
      : fetched.get(path ?? '')
    if (bytes) return { ...named, content: bytes }
    throw invalidFile(
      bytes === undefined
        ? 'Attachment must have either a `content` or `path`.'
        : `The attachment ${filename ?? ''} is invalid: its \`path\` could not be fetched.`,
    )
  })
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
  const { subject, html, text } = await filledTexts(
    { ...template, subject: email.subject == null ? template.subject : null },
    values,
    {
      render: renderMustache,
      reject: (why) => invalid(`The template cannot be rendered: ${why}`),
    },
  )
  const [from, reply_to] = [email.from ?? template.from, email.reply_to ?? template.reply_to]
  return { ...email, from, reply_to, subject: email.subject ?? subject, html, text }
}

const REFUSALS: Codes<string> = {
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
    ...emailRoutes,
    ...templateRoutes,
  ],
  refuse: (refusal) => {
    const [status, name] = codeOf(
      refusal,
      REFUSALS,
      (own) => NAMES[own] ?? (own < 500 ? 'validation_error' : 'application_error'),
    )
    return error(status, name, refusal.message)
  },
  rateHeaders: rateHeadersOf('ratelimit', ({ resetSeconds }) => resetSeconds),
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
