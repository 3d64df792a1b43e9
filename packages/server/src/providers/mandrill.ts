// The API of Mailchimp Transactional (Mandrill): /api/1.x, whose paths may end in `.json`.

import { z } from 'zod'
import type { Mailbox, MailFile } from './compose.ts'
import {
  filledTexts,
  invalidBody,
  itemsOf,
  mailOf,
  partsOf,
  rawMailOf,
  readHead,
  resultOf,
  text,
  texts,
  variables,
} from './mail-fields.ts'
import {
  type Call,
  type ItemResult,
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  Rejected,
  type Route,
  templatesOf,
} from './provider.ts'
import { isAddress, readJson, readMailboxes } from './read-body.ts'

const RECIPIENTS_MAX = 1_000
const flag = z.boolean().nullish()
const vars = z.array(z.strictObject({ name: z.string(), content: z.unknown() })).nullish()
const files = z
  .array(z.strictObject({ type: text, name: z.string(), content: z.string() }))
  .nullish()

const messageSchema = z.strictObject({
  ...texts('html', 'text', 'subject', 'from_email', 'from_name', 'bcc_address'),
  ...texts('tracking_domain', 'signing_domain', 'subaccount', 'return_path_domain'),
  to: z.array(
    z.strictObject({ email: z.string(), name: text, type: z.enum(['to', 'cc', 'bcc']).nullish() }),
  ),
  ...{ headers: variables, attachments: files, images: files, metadata: variables },
  recipient_metadata: z.array(z.strictObject({ rcpt: z.string(), values: variables })).nullish(),
  tags: z.array(z.string()).nullish(),
  merge_language: z.enum(['mailchimp', 'handlebars']).nullish(),
  global_merge_vars: vars,
  merge_vars: z.array(z.strictObject({ rcpt: z.string(), vars })).nullish(),
  ...{ important: flag, track_opens: flag, track_clicks: flag, auto_text: flag, auto_html: flag },
  ...{ inline_css: flag, url_strip_qs: flag, preserve_recipients: flag, merge: flag },
  view_content_link: flag,
  google_analytics_domains: z.array(z.string()).nullish(),
  google_analytics_campaign: z.unknown().optional(),
})

const options = { key: text, async: flag, ip_pool: text, send_at: text }
const sendSchema = z.strictObject({ ...options, message: messageSchema })
const templatedSchema = z.strictObject({
  ...{ ...options, message: messageSchema, template_name: z.string(), template_content: vars },
})
const rawSchema = z.strictObject({
  ...{ ...options, raw_message: z.string(), from_email: text, from_name: text },
  ...{ to: z.array(z.string()).nullish(), return_path_domain: text },
})
const templateSchema = z.strictObject({
  ...{ key: text, name: z.string(), code: text, text, subject: text, publish: flag },
  ...{ from_email: text, from_name: text, labels: z.array(z.string()).nullish() },
})

type Message = z.output<typeof messageSchema>
type Recipient = Message['to'][number]
type Vars = z.output<typeof vars>
type Template = Omit<z.output<typeof templateSchema>, 'key'>
type Options = Pick<z.output<typeof sendSchema>, 'async' | 'send_at'>

const errorOf = (status: number, [code, name]: readonly [number, string], message: string) =>
  json(status, { status: 'error', code, name, message })

const INVALID = [-2, 'ValidationError'] as const

const reject = (message: string, kind: readonly [number, string] = INVALID) =>
  new Rejected(errorOf(500, kind, message), message)

const wrong = (field: string, rule: string) => {
  const [last = '', ...outer] = field.split('.').toReversed()
  const tree = outer.reduce<object>((inner, name) => ({ [name]: inner }), { [last]: rule })
  return reject(`Validation error: ${JSON.stringify(tree)}`)
}

const invalid = invalidBody((kind, field) => {
  if (kind === 'json') return reject('You must specify a key value')
  return wrong(field, kind === 'missing' ? 'Please enter a value' : 'Please enter a valid value')
})

const parts = partsOf({
  address: (field) => wrong(field, 'An email address must contain a single @'),
  file: (field) => wrong(field, 'Please enter valid base64'),
  header: (field) => wrong(field, 'Please enter custom headers, each on one line'),
})

const templates = templatesOf<Template>({
  missing: (name) => reject(`No such template "${name}"`, [5, 'Unknown_Template']),
  full: () => reject('The account has as many templates as it may have', [6, 'Invalid_Template']),
})

async function send(call: Call) {
  const { message, ...own } = readJson(call, sendSchema, invalid)
  return sendMessage(call, message, own)
}

async function sendTemplate(call: Call) {
  const body = readJson(call, templatedSchema, invalid)
  const { message, template_name: name, template_content: content } = body
  const template = (await templates.get(call, name)).content
  const given = {
    ...message,
    html: withRegions(template.code ?? '', content),
    ...{ text: message.text ?? template.text, subject: message.subject ?? template.subject },
    from_email: message.from_email ?? template.from_email,
    from_name: message.from_name ?? template.from_name,
  }
  return sendMessage(call, given, body)
}

/** The elements with `mc:edit="name"` get the content of that name. */
function withRegions(html: string, content: Vars): string {
  const own = new Map(content?.map(({ name, content: value }) => [name, String(value ?? '')]))
  return html.replaceAll(
    /(\bmc:edit="([^"<>]{1,100})"[^<>]*>)[^<]*/g,
    (whole, tag: string, name: string) => tag + (own.get(name) ?? whole.slice(tag.length)),
  )
}

async function sendMessage(call: Call, message: Message, own: Options) {
  const { to, html, text: plain } = message
  const from = parts.box(
    { email: message.from_email ?? '', name: message.from_name },
    'message.from',
  )
  if (to.length === 0) throw wrong('message.to', 'Please enter an array')
  if (to.length > RECIPIENTS_MAX) throw wrong('message.to', `At most ${RECIPIENTS_MAX} recipients`)
  if (!html && !plain) throw wrong('message.text', 'Please enter a value')
  const shared = { message, from, files: readFiles(message), at: readAt(own.send_at) }
  const items = await itemsOf(to, async (recipient) => {
    const _id = call.work.uuid().replaceAll('-', '')
    if (!isAddress(recipient.email)) throw invalidRecipient(recipient, _id)
    const mail = await composeOne(call, recipient, { ...shared, id: _id })
    return { mails: [mail], accepted: accepted(mail, recipient.email, own) }
  })
  return { items }
}

const invalidRecipient = ({ email }: Recipient, _id: string) =>
  new Rejected(
    json(200, { email, status: 'invalid', reject_reason: null, _id }),
    'an address is invalid',
  )

const accepted = ({ id: _id, scheduledAt }: OutgoingMail, email: string, own: Options) => {
  const status = scheduledAt !== null ? 'scheduled' : own.async ? 'queued' : 'sent'
  return { email, status, reject_reason: null, queued_reason: null, _id }
}

/** A time of UTC without a zone. */
function readAt(given: string | null | undefined): Date | null {
  if (!given) return null
  const at = new Date(`${given.trim().replace(' ', 'T').replace(/Z$/, '')}Z`)
  if (Number.isNaN(at.getTime())) throw wrong('send_at', 'Please enter YYYY-MM-DD HH:MM:SS in UTC')
  return at
}

const readFiles = ({ attachments, images }: Message): readonly MailFile[] => [
  ...(attachments ?? []).map(({ name: filename, ...one }) =>
    parts.file({ ...one, filename }, 'message.attachments'),
  ),
  ...(images ?? []).map(({ name: filename, ...one }) => {
    const inline = { content_id: filename, disposition: 'inline' } as const
    return parts.file({ ...one, filename, ...inline }, 'message.images')
  }),
]

type Shared = {
  readonly message: Message
  readonly from: Mailbox
  readonly files: readonly MailFile[]
  readonly at: Date | null
  readonly id: string
}

async function composeOne(call: Call, recipient: Recipient, shared: Shared): Promise<OutgoingMail> {
  const { message, id } = shared
  const { email } = recipient
  const mine = <Of extends { readonly rcpt: string }>(list: readonly Of[] | null | undefined) =>
    list?.find(({ rcpt }) => rcpt.toLowerCase() === email.toLowerCase())
  const data = Object.fromEntries(
    [...(message.global_merge_vars ?? []), ...(mine(message.merge_vars)?.vars ?? [])].map((own) => [
      ...[own.name, own.content],
    ]),
  )
  const { subject, text, html } = message
  const texts =
    message.merge_language === 'handlebars'
      ? await filledTexts({ subject, text, html }, data, {
          reject: (why) => wrong('message.html', why),
        })
      : { subject: merged(subject, data), text: merged(text, data), html: merged(html, data) }
  const { 'Reply-To': replyTo, ...headers } = message.headers ?? {}
  const bcc = message.bcc_address ? [message.bcc_address] : []
  return mailOf(call, {
    ...{ ...shared, ...shownTo(message, recipient), messageId: `${id}@mandrillapp.com` },
    recipients: [email, ...bcc],
    replyTo: typeof replyTo === 'string' ? (readMailboxes(replyTo) ?? []) : [],
    ...texts,
    headers: parts.headers(headers, 'message.headers'),
    tags: message.tags,
    metadata: { ...message.metadata, ...mine(message.recipient_metadata)?.values },
  })
}

/** By default a recipient gets only its own address to see. */
function shownTo({ to, preserve_recipients }: Message, own: Recipient) {
  const shown = preserve_recipients ? to.filter(({ email }) => isAddress(email)) : [own]
  const of = (wanted: string) =>
    shown
      .filter(({ type }) => (type ?? 'to') === wanted)
      .map(({ email, name }) => ({ name: name ?? '', address: email }))
  return { to: of('to'), cc: of('cc') }
}

/** A text with the values of its `*|NAME|*`; names without a value stay. */
function merged(template: string | null | undefined, data: Readonly<Record<string, unknown>>) {
  const values = new Map(Object.entries(data).map(([name, own]) => [name.toLowerCase(), own]))
  return template?.replaceAll(/\*\|([^|*]{1,100})\|\*/g, (tag, name: string) =>
    String(values.get(name.trim().toLowerCase()) ?? tag),
  )
}

async function sendRaw(call: Call) {
  const { raw_message, from_email, to, ...own } = readJson(call, rawSchema, invalid)
  const bytes = Buffer.from(raw_message)
  const head = readHead(bytes)
  const boxes = (name: string) =>
    parts.mailboxes(head.all(name), `raw_message.${name}`).map(({ address }) => address)
  const mailFrom = from_email ?? boxes('from')[0] ?? ''
  if (!isAddress(mailFrom)) throw wrong('from_email', 'An email address must contain a single @')
  const named = (to ?? []).map((given) => readMailboxes(given)?.[0]?.address ?? given)
  const emails = to?.length ? named : ['to', 'cc', 'bcc'].flatMap(boxes)
  if (emails.length === 0) throw wrong('to', 'Please enter an array')
  if (emails.length > RECIPIENTS_MAX) throw wrong('to', `At most ${RECIPIENTS_MAX} recipients`)
  const at = readAt(own.send_at)
  const items = await itemsOf(emails, async (email) => {
    const id = call.work.uuid().replaceAll('-', '')
    if (!isAddress(email)) throw invalidRecipient({ email }, id)
    const messageId = `${id}@mandrillapp.com`
    const mail = rawMailOf(call, head, { id, messageId, mailFrom, at, recipients: [email] })
    return { mails: [mail], accepted: accepted(mail, email, own) }
  })
  return { items }
}

const join = (results: readonly ItemResult[]) =>
  json(
    200,
    results.map((one) => resultOf(one, rejectedFields)),
  )

/** `unsigned` is what a sender gets that is not verified. */
const rejectedFields = ({ message }: { readonly message: string }) => ({
  ...{ email: '', status: 'rejected', reject_reason: 'unsigned', queued_reason: null },
  ...{ _id: '', message },
})

const named = z.looseObject({ name: z.string() })
const identified = z.looseObject({ id: z.string() })

const presented = ({ id, createdAt, content }: Awaited<ReturnType<typeof templates.get>>) => ({
  ...{ slug: id, ...content, created_at: new Date(createdAt), publish_name: content.name },
})

const saveTemplate = (isNew: boolean) => async (call: Call) => {
  const { key: _, ...given } = readJson(call, templateSchema, invalid)
  const old = await templates.find(call, given.name)
  if (isNew && old !== null) {
    throw reject(`A template with name "${given.name}" already exists`, [6, 'Invalid_Template'])
  }
  const id = isNew ? given.name : (await templates.get(call, given.name)).id
  return presented(
    await templates.put(call, { ...old, id, alias: id, content: { ...old?.content, ...given } }),
  )
}

async function findMail(call: Call) {
  const { id } = readJson(call, identified, invalid)
  const found = await call.work.mails.find(id)
  if (found !== null) return found
  throw reject(`No message exists with the id '${id.slice(0, 100)}'`, [11, 'Unknown_Message'])
}

const table: Readonly<Record<string, (call: Call) => unknown>> = {
  'users/ping': () => 'PONG!',
  'users/ping2': () => ({ PING: 'PONG!' }),
  'users/info': () => ({ username: 'mayfly', reputation: 100, hourly_quota: 1_000, backlog: 0 }),
  'messages/info': async (call) => {
    const { call: own, subject, recipients, state, createdAt, from } = await findMail(call)
    const ts = Math.floor(Date.parse(createdAt) / 1000)
    const shown = { _id: own.id, ts, subject, sender: from.address, email: recipients[0] }
    return { ...shown, state, tags: own.tags, metadata: own.metadata, opens: 0, clicks: 0 }
  },
  'messages/cancel-scheduled': async (call) => {
    const { call: own, subject, recipients, from } = await findMail(call)
    if (!(await call.work.mails.reschedule(own.id, null))) {
      throw reject(`No scheduled message exists with the id '${own.id}'`, [11, 'Unknown_Message'])
    }
    return { _id: own.id, subject, from_email: from.address, to: recipients[0] }
  },
  'templates/add': saveTemplate(true),
  'templates/update': saveTemplate(false),
  'templates/list': async (call) => (await templates.list(call)).map(presented),
  'templates/info': async (call) =>
    presented(await templates.get(call, readJson(call, named, invalid).name)),
  'templates/delete': async (call) => {
    const found = await templates.get(call, readJson(call, named, invalid).name)
    await call.work.templates.remove(found.id)
    return presented(found)
  },
}

/** The same with and without `.json`. */
const both = (path: string): readonly string[] =>
  ['', '.json'].map((end) => `/api/:version/${path}${end}`)

const sending = (path: string, run: Route['run']): readonly Route[] =>
  both(path).map((own) => ({
    ...{ method: 'POST', path: own, operation: `POST /api/1.0/${path}`, run, join },
  }))

/** Mailchimp Transactional, once Mandrill. */
export const mandrill: Provider = {
  name: 'mandrill',
  hosts: ['mandrillapp.com'],
  bodyBytesMax: 35 * 1024 * 1024,
  key: () => null,
  // SDKs write it first or last. Elsewhere a field of this name may be one of the mail.
  keyInBody: (part) =>
    /^\s*\{\s*"key"\s*:\s*"([^"\\]+)"/.exec(part)?.[1] ??
    /"key"\s*:\s*"([^"\\]+)"\s*\}\s*$/.exec(part)?.[1] ??
    /"key"\s*:\s*"([^"\\]+)"/.exec(part)?.[1] ??
    null,
  routes: [
    ...sending('messages/send', send),
    ...sending('messages/send-template', sendTemplate),
    ...sending('messages/send-raw', sendRaw),
    ...jsonRoutes(
      Object.fromEntries(
        Object.entries(table).flatMap(([path, run]) =>
          both(path).map((own) => [`POST ${own}`, run]),
        ),
      ),
    ),
  ],
  refuse: ({ why, status, message }) => {
    const kind = CODES[why]
    return kind === undefined
      ? errorOf(status, [-99, 'GeneralError'], message)
      : errorOf(why === 'unknown_path' ? 404 : 500, kind, message)
  },
}

const CODES: Readonly<Record<string, readonly [code: number, name: string]>> = {
  missing_key: INVALID,
  invalid_key: [-1, 'Invalid_Key'],
  malformed: INVALID,
  unknown_path: [-1, 'Unknown_Method'],
  full: [10, 'PaymentRequired'],
}
