// The API of Brevo: /v3.

import { z } from 'zod'
import type { Mailbox, MailFile } from './compose.ts'
import {
  filledTexts,
  invalidBody,
  mailOf,
  partsOf,
  people,
  person,
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
  numericId,
  type Provider,
  Rejected,
  rateHeadersOf,
  templatesOf,
} from './provider.ts'
import { fieldsOf, readJson } from './read-body.ts'

const RECIPIENTS_MAX = 99
const ALL_RECIPIENTS_MAX = 2_000
const SCHEDULED_HOURS_MAX = 72

/** The fields of a mail that each version may replace. */
const own = {
  ...{ to: people, cc: people, bcc: people, replyTo: person.nullish(), params: variables },
  ...texts('subject', 'htmlContent', 'textContent'),
}

const sender = z.strictObject({ email: text, name: text, id: z.int().nullish() })

const sendSchema = z.strictObject({
  ...own,
  sender: sender.nullish(),
  attachment: z.array(z.strictObject({ name: text, content: text, url: text })).nullish(),
  headers: variables,
  templateId: z.int().nullish(),
  tags: z.array(z.string()).nullish(),
  ...texts('scheduledAt', 'batchId'),
  messageVersions: z.array(z.strictObject(own)).nullish(),
})

const templateSchema = z.strictObject({
  ...texts('templateName', 'subject', 'htmlContent', 'replyTo', 'toField', 'tag'),
  sender: sender.nullish(),
  isActive: z.boolean().nullish(),
})

type SendBody = z.output<typeof sendSchema>
type Version = NonNullable<SendBody['messageVersions']>[number]
type Template = z.output<typeof templateSchema>

const errorOf = (status: number, code: string, message: string) => json(status, { code, message })

const reject = (message: string, code = 'invalid_parameter', status = 400) =>
  new Rejected(errorOf(status, code, message), message)

const missing = (field: string) => reject(`${field} is missing`, 'missing_parameter')

const invalid = invalidBody((kind, field) => {
  if (kind === 'json') return reject('Input must be a valid JSON object', 'bad_request')
  return kind === 'missing' ? missing(field) : reject(`${field} is not valid`)
})

const parts = partsOf({
  address: (field) => {
    const [list = ''] = field.split('.')
    return reject(
      list === 'sender' ? 'valid sender email required' : `email is not valid in ${list}`,
    )
  },
  file: (_field, name) => reject(`attachment content of ${name} is not valid base64`),
  header: (field) => reject(`${field} must be custom headers, each on one line`),
})

const templates = templatesOf<Template>({
  missing: (id, { path, baseUrl }) =>
    path === '/v3/smtp/email'
      ? reject(`Template ID ${id} does not exist; create it with POST ${baseUrl}v3/smtp/templates`)
      : reject('Template ID does not exist', 'document_not_found', 404),
  full: () =>
    reject('The account has as many templates as it may have', 'reseller_permission_denied'),
})

async function sendMail(call: Call) {
  const body = readJson(call, sendSchema, invalid)
  const template = body.templateId
    ? (await templates.get(call, String(body.templateId))).content
    : null
  const isVersions = body.messageVersions != null
  const versions = body.messageVersions ?? [body]
  if (isVersions && versions.length === 0) throw missing('messageVersions')
  const counts = versions.map(({ to, cc, bcc }) => {
    const count = [to, cc, bcc].reduce((sum, list) => sum + (list ?? []).length, 0)
    if (count > RECIPIENTS_MAX) throw reject(`There may be up to ${RECIPIENTS_MAX} recipients`)
    return count
  })
  if (counts.reduce((sum, count) => sum + count, 0) > ALL_RECIPIENTS_MAX) {
    throw reject(`There may be up to ${ALL_RECIPIENTS_MAX} recipients in all versions`)
  }
  const shared = { body, template, files: readFiles(call, body), at: readSchedule(call, body) }
  const mails = []
  for (const version of versions) mails.push(await composeOne(call, version, shared))
  const ids = mails.map(({ id }) => id)
  const isLater = mails.some(({ scheduledAt }) => scheduledAt !== null)
  const answer = json(isLater ? 202 : 201, isVersions ? { messageIds: ids } : { messageId: ids[0] })
  const isSandbox = body.headers?.['X-Sib-Sandbox'] === 'drop'
  return isSandbox ? { answer, note: 'sandbox mode: checked and not sent' } : { answer, mails }
}

function readSchedule({ now }: Call, { scheduledAt }: SendBody): Date | null {
  if (!scheduledAt) return null
  const at = readTime(scheduledAt, now, SCHEDULED_HOURS_MAX)
  if (at === null || at < now) {
    throw reject(`scheduledAt must be a time in the next ${SCHEDULED_HOURS_MAX} hours`)
  }
  return at
}

function readFiles(call: Call, { attachment }: SendBody): readonly MailFile[] {
  const given = attachment ?? []
  const urls = given.flatMap(({ url, content }) => (url && !content ? [url] : []))
  const fetched = call.fetchFiles(urls)
  return given.map(({ name, content, url }) => {
    const filename = name ?? url?.split(/[?#]/)[0]?.split('/').at(-1) ?? ''
    if (content && !name) throw missing('name of attachment')
    if (content)
      return { filename, content: parts.bytes(content, 'attachment', filename), inline: false }
    if (!url) throw missing('content or url of attachment')
    const bytes = fetched.get(url)
    if (!bytes) throw reject(`attachment url ${url.slice(0, 100)} could not be fetched`)
    return { filename, content: bytes, inline: false }
  })
}

type Shared = {
  readonly body: SendBody
  readonly template: Template | null
  readonly files: readonly MailFile[]
  readonly at: Date | null
}

async function composeOne(call: Call, one: Version, { body, template, files, at }: Shared) {
  const from = readSender(body.sender ?? template?.sender)
  const lists = parts.recipients(one)
  if (lists.to.length === 0) throw missing('to')
  const subject = one.subject ?? body.subject ?? template?.subject
  const html = template?.htmlContent ?? one.htmlContent ?? body.htmlContent
  const plain = template === null ? (one.textContent ?? body.textContent) : null
  if (!subject) throw missing('subject')
  if (!html && !plain) throw missing('htmlContent')
  const params = one.params ?? body.params
  const given = { subject, html, text: plain }
  const texts =
    params || template ? await filledTexts(given, { params: params ?? {} }, { reject }) : given
  const replyTo = one.replyTo ?? body.replyTo
  const messageId = `${stamp(call.now)}.${call.work.token().slice(0, 11)}@smtp-relay.mailin.fr`
  const { idempotencyKey: _, ...headers } = body.headers ?? {}
  const custom = headers['X-Mailin-custom']
  return mailOf(call, {
    ...{ id: `<${messageId}>`, messageId, from, ...lists, files, at, tags: body.tags },
    ...texts,
    replyTo: replyTo ? [parts.box(replyTo, 'replyTo')] : [],
    headers: parts.headers(headers),
    metadata: typeof custom === 'string' ? fieldsOf(custom) : {},
  })
}

function readSender(given: SendBody['sender']): Mailbox {
  if (!given) throw missing('sender')
  if (!given.email && given.id) throw reject('sender.id is unknown here: set sender.email')
  return parts.box({ email: given.email ?? '', name: given.name }, 'sender')
}

const stamp = (date: Date) => date.toISOString().replaceAll(/\D/g, '').slice(0, 12)

const presented = ({ id, createdAt, content }: Awaited<ReturnType<typeof templates.get>>) => {
  const { templateName: name, ...rest } = content
  return { isActive: true, ...rest, id: Number(id), name, createdAt: new Date(createdAt) }
}

const saveTemplate = (isNew: boolean) => async (call: Call) => {
  const old = isNew ? null : await templates.get(call)
  const content = { ...old?.content, ...readJson(call, templateSchema, invalid) }
  for (const field of ['templateName', 'subject', 'htmlContent'] as const) {
    if (!content[field]) throw missing(field)
  }
  const id = old?.id ?? numericId(call)
  await templates.put(call, { ...old, id, alias: id, content })
  return isNew ? { id: Number(id) } : undefined
}

async function listMails({ work, query }: Call) {
  const asked = query.get('messageId')
  const one = asked === null ? null : await work.mails.find(asked)
  const found = asked === null ? await work.mails.list(500) : one === null ? [] : [one]
  const transactionalEmails = found.map(({ call, subject, createdAt, recipients, from }) => ({
    ...{ email: recipients[0], subject, date: createdAt, from: from.address },
    ...{ messageId: call.id, uuid: call.id, tags: call.tags },
  }))
  return { count: transactionalEmails.length, transactionalEmails }
}

/** Events of the newest mails: what was requested has been delivered. */
async function listEvents({ work, query }: Call) {
  const asked = (name: string, own: string | undefined) => {
    const wanted = query.get(name)
    return wanted === null || wanted === own
  }
  const events = (await work.mails.list(500)).flatMap(({ call, subject, createdAt, ...mail }) =>
    mail.recipients.flatMap((email) =>
      ['delivered', 'requests'].map((event) => ({
        ...{ email, event, subject, date: createdAt, messageId: call.id },
        ...{ from: mail.from.address, tag: call.tags[0] },
      })),
    ),
  )
  const found = events.filter(
    (one) =>
      asked('event', one.event) && asked('email', one.email) && asked('messageId', one.messageId),
  )
  return { events: found.slice(0, Number(query.get('limit')) || 2_500) }
}

/** Brevo. */
export const brevo: Provider = {
  name: 'brevo',
  hosts: ['api.brevo.com', 'api.sendinblue.com'],
  bodyBytesMax: 20 * 1024 * 1024,
  key: (headers) => headers['api-key'] ?? null,
  routes: [
    { method: 'POST', path: '/v3/smtp/email', run: sendMail },
    ...jsonRoutes({
      'GET /v3/account': () => ({
        ...{
          email: 'owner@mayfly.invalid',
          firstName: 'Mayfly',
          lastName: '',
          companyName: 'Mayfly',
        },
        ...{ plan: [{ type: 'free', creditsType: 'sendLimit', credits: 300 }] },
        relay: { enabled: false },
      }),
      'GET /v3/smtp/emails': listMails,
      'GET /v3/smtp/statistics/events': listEvents,
      'GET /v3/smtp/blockedContacts': () => ({ count: 0, contacts: [] }),
      'DELETE /v3/smtp/email/:id': async ({ work, params }) => {
        if (await work.mails.reschedule(params['id'] ?? '', null)) return
        throw reject('No scheduled mail has this id', 'document_not_found', 404)
      },
      'POST /v3/smtp/templates 201': saveTemplate(true),
      'PUT /v3/smtp/templates/:id': saveTemplate(false),
      'GET /v3/smtp/templates/:id': async (call) => presented(await templates.get(call)),
      'GET /v3/smtp/templates': async (call) => {
        const list = (await templates.list(call)).map(presented)
        return { count: list.length, templates: list }
      },
      'DELETE /v3/smtp/templates/:id': async (call) => void (await templates.remove(call)),
    }),
  ],
  refuse: (refusal) => {
    const [status, code] = codeOf(refusal, CODES, (own) => STATUS_CODES[own] ?? 'internal_error')
    return errorOf(status, code, refusal.message)
  },
  rateHeaders: rateHeadersOf('x-sib-ratelimit', ({ resetSeconds }) => resetSeconds),
}

const CODES: Codes<string> = {
  missing_key: [401, 'unauthorized'],
  invalid_key: [401, 'unauthorized'],
  unverified: [400, 'invalid_parameter'],
  malformed: [400, 'bad_request'],
  full: [402, 'not_enough_credits'],
}

const STATUS_CODES: Readonly<Record<number, string>> = {
  ...{ 400: 'invalid_parameter', 401: 'unauthorized', 402: 'not_enough_credits' },
  ...{ 403: 'permission_denied', 404: 'document_not_found', 405: 'method_not_allowed' },
  429: 'too_many_requests',
}
