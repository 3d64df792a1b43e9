// The API of MailerSend: /v1.

import { z } from 'zod'
import type { Mailbox, MailFile } from './compose.ts'
import {
  disposition,
  filledTexts,
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
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  Rejected,
  rateHeadersOf,
} from './provider.ts'
import { bearerOf, checkBody, type Problem, parseJson } from './read-body.ts'

const LIMITS = { to: 50, cc: 10, bcc: 10, tags: 5 }
const BULK_MAX = 500
const SCHEDULED_HOURS_MAX = 72

const mailSchema = z.strictObject({
  ...{ from: person, to: people, cc: people, bcc: people, reply_to: person.nullish() },
  ...texts('subject', 'text', 'html', 'template_id', 'in_reply_to', 'list_unsubscribe'),
  tags: z.array(z.string()).nullish(),
  personalization: z.array(z.strictObject({ email: z.string(), data: variables })).nullish(),
  attachments: z
    .array(
      z.strictObject({
        ...{ content: z.string(), filename: z.string(), id: text },
        disposition,
      }),
    )
    .nullish(),
  headers: z.array(z.strictObject({ name: z.string(), value: z.string() })).nullish(),
  references: z.array(z.string()).nullish(),
  send_at: z.int().nullish(),
  settings: variables,
  precedence_bulk: z.boolean().nullish(),
})

type Mail = z.output<typeof mailSchema>

const reject = (field: string, message: string) =>
  new Rejected(json(422, { message, errors: { [field]: [message] } }), message)

const invalid = ({ kind, field }: Problem) => {
  if (kind === 'json' || field === '') return reject('body', 'The body must be valid JSON.')
  const rule = kind === 'missing' ? 'is required' : 'is invalid'
  return reject(field, `The ${field} field ${rule}.`)
}

const parts = partsOf({
  address: (field) => reject(field, `The ${field} must be a valid email address.`),
  file: (field) => reject(field, `The ${field} must be a valid base64 string.`),
  header: (field) => reject(field, `The ${field} must be custom headers, each on one line.`),
})

const readMail = (call: Call, value: unknown): Mail =>
  checkBody(call, { schema: mailSchema, value, onInvalid: invalid })

async function send(call: Call) {
  const id = call.work.token().slice(0, 24)
  const mails = await composeAll(call, readMail(call, parseJson(call, invalid)), id)
  return { answer: { status: 202, headers: { 'x-message-id': id }, body: null }, mails }
}

/** Refuses the whole list for one message that is invalid, with its number in the field. */
async function sendBulk(call: Call) {
  const list = parseJson(call, invalid)
  if (!Array.isArray(list) || list.length === 0 || list.length > BULK_MAX) {
    throw reject('body', `The body must have between 1 and ${BULK_MAX} messages.`)
  }
  const bulk_email_id = call.work.token().slice(0, 24)
  const mails: OutgoingMail[] = []
  for (const [i, one] of list.entries()) {
    const id = i === 0 ? bulk_email_id : `${bulk_email_id}.${i}`
    mails.push(...(await composeAll(call, readMail(call, one), id)))
  }
  return {
    answer: json(202, { message: 'The bulk email is being processed.', bulk_email_id }),
    mails,
  }
}

/** One mail; with personalization one for each recipient. */
async function composeAll(call: Call, mail: Mail, id: string): Promise<OutgoingMail[]> {
  const lists = parts.recipients(mail)
  if (lists.to.length === 0) throw reject('to', 'The to field is required.')
  for (const [field, list] of Object.entries({ ...lists, tags: mail.tags ?? [] })) {
    const max = Reflect.get(LIMITS, field)
    if (list.length > max) throw reject(field, `The ${field} may not have more than ${max} items.`)
  }
  if (mail.template_id) {
    throw reject(
      'template_id',
      'The selected template_id is invalid: its API cannot store templates.',
    )
  }
  if (!mail.subject)
    throw reject('subject', 'The subject field is required when template_id is not present.')
  if (!mail.text && !mail.html) {
    throw reject('text', 'The text field is required when none of html / template_id are present.')
  }
  const personal = new Map(
    mail.personalization?.map(({ email, data }) => [email.toLowerCase(), data]),
  )
  const shared = { mail, files: readFiles(mail), at: readSchedule(call, mail) }
  if (personal.size === 0) return [await composeOne(call, { ...shared, ...lists, id, data: null })]
  const mails: OutgoingMail[] = []
  for (const [i, own] of lists.to.entries()) {
    const copies = i === 0 ? lists : { cc: [], bcc: [] }
    const data = personal.get(own.address.toLowerCase()) ?? {}
    const ownId = i === 0 ? id : `${id}-${i}`
    mails.push(await composeOne(call, { ...shared, ...copies, to: [own], id: ownId, data }))
  }
  return mails
}

type One = {
  readonly mail: Mail
  readonly files: readonly MailFile[]
  readonly at: Date | null
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly id: string
  readonly data: unknown
}

async function composeOne(call: Call, { mail, data, ...one }: One): Promise<OutgoingMail> {
  const { subject, text, html } = mail
  const given = { subject, text, html }
  const reason = (why: string) => reject('personalization', why)
  const texts = data === null ? given : await filledTexts(given, data, { reject: reason })
  return mailOf(call, {
    ...{ ...one, ...texts },
    messageId: `${one.id}@mailersend.net`,
    from: parts.box(mail.from, 'from'),
    replyTo: mail.reply_to ? [parts.box(mail.reply_to, 'reply_to')] : [],
    headers: headersOf(mail),
    tags: mail.tags,
  })
}

function headersOf({ headers, in_reply_to, references, precedence_bulk, list_unsubscribe }: Mail) {
  const named = Object.fromEntries((headers ?? []).map(({ name, value }) => [name, value]))
  return parts.headers({
    ...named,
    ...(in_reply_to ? { 'In-Reply-To': in_reply_to } : {}),
    ...(references?.length ? { References: references.join(' ') } : {}),
    ...(precedence_bulk ? { Precedence: 'bulk' } : {}),
    ...(list_unsubscribe ? { 'List-Unsubscribe': list_unsubscribe } : {}),
  })
}

const readFiles = ({ attachments }: Mail): readonly MailFile[] =>
  (attachments ?? []).map(({ id, ...one }, i) =>
    parts.file({ ...one, content_id: id }, `attachments.${i}.content`),
  )

function readSchedule({ now }: Call, { send_at }: Mail): Date | null {
  if (!send_at) return null
  const at = readTime(send_at * 1000, now, SCHEDULED_HOURS_MAX)
  const rule = `The send_at must be at most ${SCHEDULED_HOURS_MAX} hours from now.`
  if (at === null) throw reject('send_at', rule)
  return at
}

/** MailerSend. */
export const mailersend: Provider = {
  name: 'mailersend',
  hosts: ['api.mailersend.com'],
  bodyBytesMax: 50 * 1024 * 1024,
  key: bearerOf,
  routes: [
    { method: 'POST', path: '/v1/email', run: send },
    { method: 'POST', path: '/v1/bulk-email', run: sendBulk },
    ...jsonRoutes({
      'GET /v1/api-quota': () => ({ quota: 100_000, remaining: 100_000 }),
      'GET /v1/bulk-email/:id': async ({ work, params }) => {
        const id = params['id'] ?? ''
        if ((await work.mails.find(id)) === null) throw notFound()
        return { data: { id, state: 'completed' } }
      },
      'DELETE /v1/message-schedules/:id': async ({ work, params }) => {
        if (!(await work.mails.reschedule(params['id'] ?? '', null))) throw notFound()
      },
    }),
  ],
  refuse: ({ why, status, message }) => {
    if (why === 'missing_key' || why === 'invalid_key') {
      return json(401, { message: `Unauthenticated. ${message}` })
    }
    if (why !== 'unverified') return json(why === 'full' ? 403 : status, { message })
    return reject('from.email', `The from.email domain must be verified. ${message} #MS42207`)
      .answer
  },
  rateHeaders: rateHeadersOf('x-ratelimit', null),
}

const notFound = () => new Rejected(json(404, { message: 'Resource not found.' }), 'no such id')
