// Errors of Resend's API, its templates, and the emails that it has sent.

import { z } from 'zod'
import { list, texts } from './mail-fields.ts'
import { type Answer, type Call, json, jsonRoutes, Rejected, templatesOf } from './provider.ts'
import { type Problem, readJson } from './read-body.ts'

const SCHEDULED_DAYS_MAX = 30

/** An answer with an error. */
export function error(statusCode: number, name: string, message: string): Answer {
  return json(statusCode, { statusCode, name, message })
}

/** Rejects a call. */
export const reject = (status: number, name: string, message: string) =>
  new Rejected(error(status, name, message), message)
/** Rejects what breaks a rule. */
export const invalid = (message: string) => reject(422, 'validation_error', message)
/** Rejects a call without a field. */
export const missing = (field: string) =>
  reject(422, 'missing_required_field', `Missing \`${field}\` field.`)

/** Rejects a body that the schema does not accept. */
export function problem({ kind, field }: Problem): Rejected {
  if (kind === 'json')
    return reject(400, 'validation_error', 'The request body must be valid JSON.')
  return kind === 'missing' ? missing(field) : invalid(`Invalid \`${field}\` field.`)
}

/** Characters of a time: far above any, and few enough for the library that reads it. */
const TIME_LENGTH_MAX = 100

/** A time in ISO 8601, or such as `in 5 minutes` or `tomorrow at 9am`; without a zone in UTC. */
export async function readTime(text: string, now: Date): Promise<Date> {
  const at = text.length > TIME_LENGTH_MAX ? null : await parsedTime(text.trim(), now)
  if (at === null)
    throw invalid('The `scheduled_at` field must be in ISO 8601 format, or such as `in 5 minutes`.')
  if (at.getTime() - now.getTime() > SCHEDULED_DAYS_MAX * 86_400_000) {
    throw invalid(
      `The \`scheduled_at\` field must be at most ${SCHEDULED_DAYS_MAX} days in the future.`,
    )
  }
  return at
}

async function parsedTime(text: string, now: Date): Promise<Date | null> {
  if (/^\d{4}-\d\d/.test(text)) {
    const at = new Date(text)
    return Number.isNaN(at.getTime()) ? null : at
  }
  // Loaded when a call first has such a time.
  const { parse } = await import('chrono-node/en')
  const found = parse(text, { instant: now, timezone: 'UTC' }, { forwardDate: true })
  // The whole text: of a longer one, any part may look like a time.
  return found.length === 1 && found[0]?.text.length === text.length ? found[0].date() : null
}

/** The result that an address of resend.dev stands for; null for any other. */
export function magicResult(address: string): string | null {
  return (
    /^(delivered|bounced|complained|suppressed)(?:\+[^@]*)?@resend\.dev$/i
      .exec(address)?.[1]
      ?.toLowerCase() ?? null
  )
}

const templateSchema = z.strictObject({
  ...texts('name', 'alias', 'from', 'subject', 'html', 'text'),
  reply_to: list,
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

/** The templates of an account. */
export const templates = templatesOf<Template>({
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

/** The calls for templates. */
export const templateRoutes = jsonRoutes({
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

const reschedule = (dueOf: (call: Call) => Promise<number> | null) => async (call: Call) => {
  const { id } = (await getEmail(call)).call
  if (await call.work.mails.reschedule(id, await dueOf(call))) return { object: 'email', id }
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

/** The calls for emails that were sent, or will be. */
export const emailRoutes = jsonRoutes({
  // Every domain may send.
  'GET /domains': () => listOf([]),
  'GET /emails': async ({ work, query }) => {
    const limit = Math.min(100, Number(query.get('limit')) || 20)
    return listOf((await work.mails.list(limit)).map(presentedEmail))
  },
  'GET /emails/:id': async (call) => presentedEmail(await getEmail(call)),
  'GET /emails/:id/attachments': async (call) =>
    listOf((await getEmail(call)).attachments.map(presentedFile)),
  'PATCH /emails/:id': reschedule(async (call) =>
    (await readTime(readJson(call, changeSchema, problem).scheduled_at, call.now)).getTime(),
  ),
  'POST /emails/:id/cancel': reschedule(() => null),
})
