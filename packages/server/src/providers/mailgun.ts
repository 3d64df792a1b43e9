// The API of Mailgun: forms, urlencoded or multipart.

import { compose, headerFields, type MailFile, type MailHeader, withOwnHeaders } from './compose.ts'
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
import { addressesOf, fieldsOf, parsedOrNull, readMailboxes } from './read-body.ts'
import { renderHandlebars, TemplateFailed } from './templates.ts'

const RECIPIENTS_MAX = 1_000
const TAGS_MAX = 10
const OPTIONS_BYTES_MAX = 16 * 1024
const SCHEDULED_DAYS_MAX = 7

const KNOWN = new Set(
  'from to cc bcc subject text html amp-html attachment inline template recipient-variables message'.split(
    ' ',
  ),
)

function reject(message: string, status = 400): Rejected {
  return new Rejected(json(status, { message }), message)
}

/** A form: the texts and the files of each name. */
type Form = {
  readonly texts: (name: string) => readonly string[]
  readonly files: (name: string) => readonly MailFile[]
  /** The fields whose names begin with a prefix, without that. */
  readonly prefixed: (prefix: string) => readonly (readonly [name: string, value: string])[]
}

async function readForm(call: Call): Promise<Form> {
  const type = call.headers['content-type'] ?? 'application/x-www-form-urlencoded'
  const form = await new Response(new Uint8Array(call.body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw reject(
        'The body must be a form: multipart/form-data or application/x-www-form-urlencoded.',
      )
    })
  const texts = new Map<string, string[]>()
  const files = new Map<string, MailFile[]>()
  for (const [given, value] of form) {
    // Clients for PHP number fields of a name.
    const name = given.replace(/^(attachment|inline)\[\d*\]$/, '$1')
    if (typeof value === 'string') texts.set(name, [...(texts.get(name) ?? []), value])
    else files.set(name, [...(files.get(name) ?? []), await toFile(name, value)])
    if (!KNOWN.has(name) && !/^[ohvt]:/.test(name)) call.addUnknown([name.slice(0, 100)])
  }
  const recorded = [
    ...texts,
    ...[...files].map(
      ([name, list]) =>
        [
          name,
          list.map(({ filename, content }) => `${filename} <${content.length} bytes>`),
        ] as const,
    ),
  ]
  call.setRecorded(
    Object.fromEntries(recorded.map(([name, list]) => [name, list.length === 1 ? list[0] : list])),
  )
  return {
    texts: (name) => texts.get(name) ?? [],
    files: (name) => files.get(name) ?? [],
    prefixed: (prefix) =>
      [...texts].flatMap(([name, values]) =>
        name.startsWith(prefix)
          ? values.map((value) => [name.slice(prefix.length), value] as const)
          : [],
      ),
  }
}

async function toFile(field: string, file: File): Promise<MailFile> {
  const content = Buffer.from(await file.arrayBuffer())
  const isInline = field === 'inline'
  return {
    filename: file.name,
    content,
    contentType: file.type || undefined,
    inline: isInline,
    contentId: isInline ? file.name : undefined,
  }
}

function mailboxes(form: Form, name: string) {
  return form.texts(name).flatMap((text) => {
    const found = readMailboxes(text)
    if (found !== null) return found
    throw reject(`'${name}' parameter is not a valid address. please check documentation`)
  })
}

const first = (form: Form, name: string) => form.texts(name)[0]

/** The options that simple and MIME messages share. */
function readOptions(call: Call, form: Form) {
  const tags = form.texts('o:tag')
  if (tags.length > TAGS_MAX) throw reject(`A message may have up to ${TAGS_MAX} tags.`)
  const variables = form.prefixed('v:')
  const size = [...form.prefixed('o:'), ...form.prefixed('h:'), ...variables].reduce(
    (sum, pair) => sum + Buffer.byteLength(pair.join('')),
    0,
  )
  if (size > OPTIONS_BYTES_MAX)
    throw reject('The parameters o:, h: and v: may have up to 16 KB together.')
  const time = first(form, 'o:deliverytime')
  const due = time === undefined ? null : Date.parse(time)
  if (due !== null && !(due - call.now.getTime() <= SCHEDULED_DAYS_MAX * 86_400_000)) {
    throw reject(
      `'o:deliverytime' parameter must be a date of RFC 2822, at most ${SCHEDULED_DAYS_MAX} days in the future.`,
    )
  }
  const metadata = Object.fromEntries(variables)
  const own = [
    ...tags.map((value) => ({ name: 'X-Mailgun-Tag', value })),
    ...(variables.length === 0
      ? []
      : [{ name: 'X-Mailgun-Variables', value: JSON.stringify(metadata) }]),
  ]
  const scheduledAt = due !== null && due > call.now.getTime() ? new Date(due).toISOString() : null
  return {
    tags,
    metadata,
    own,
    scheduledAt,
    isTest: /^(?:yes|true)$/i.test(first(form, 'o:testmode') ?? ''),
  }
}

type Options = ReturnType<typeof readOptions>

function newId(call: Call): string {
  const time = call.now.toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const domain = (call.params['domain'] ?? '').replaceAll(/[^\w.-]/g, '')
  return `${time}.${call.work.uuid().replaceAll('-', '').slice(0, 16)}@${domain || 'localhost'}`
}

function queued(id: string, { isTest }: Options, mails: readonly OutgoingMail[]) {
  const answer = json(200, { id: `<${id}>`, message: 'Queued. Thank you.' })
  return isTest
    ? { answer, note: 'test mode: the message was checked and not sent' }
    : { answer, mails }
}

async function sendMessage(call: Call) {
  const form = await readForm(call)
  const [from] = mailboxes(form, 'from')
  if (from === undefined) throw reject('from parameter is missing')
  const [to, cc, bcc] = [mailboxes(form, 'to'), mailboxes(form, 'cc'), mailboxes(form, 'bcc')]
  if (to.length === 0) throw reject('to parameter is missing')
  if (to.length + cc.length + bcc.length > RECIPIENTS_MAX)
    throw reject(`A message may have up to ${RECIPIENTS_MAX} recipients.`)
  const options = readOptions(call, form)
  const texts = await textsOf(call, form, options)
  if (![texts.text, texts.html, texts.amp].some(Boolean)) {
    throw reject(
      "Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified",
    )
  }
  const files = [...form.files('attachment'), ...form.files('inline')]
  const id = newId(call)
  const given = headersOf(form)
  const replyTo = given
    .filter(({ name }) => name.toLowerCase() === 'reply-to')
    .flatMap(({ value }) => readMailboxes(value) ?? [])
  const others = given.filter(
    ({ name }) =>
      !/^(?:reply-to|x-mailgun-variables|message-id|date|from|to|cc|bcc|subject)$/i.test(name),
  )
  const composeFor = async (
    boxes: typeof to,
    index: number,
    values: Readonly<Record<string, string>> | null,
  ): Promise<OutgoingMail> => {
    const fill = (text: string | undefined) => (values === null ? text : filled(text, values))
    const subject = fill(texts.subject) ?? ''
    const raw = await compose(call, {
      ...{ from, to: boxes, cc, replyTo, files, subject, date: call.now, messageId: id },
      ...{ text: fill(texts.text), html: fill(texts.html), amp: fill(texts.amp) },
      headers: [
        ...others.map(({ name, value }) => ({ name, value: fill(value) ?? '' })),
        ...options.own,
      ],
    })
    const { tags, metadata, scheduledAt } = options
    const own = index === 0 ? `<${id}>` : `<${id}>;${index}`
    return {
      raw,
      id: own,
      tags,
      metadata,
      scheduledAt,
      subject,
      mailFrom: from.address,
      recipients: addressesOf(boxes, cc, bcc),
    }
  }
  const variables = recipientVariables(form)
  if (variables === null) return queued(id, options, [await composeFor(to, 0, null)])
  const mails: OutgoingMail[] = []
  for (const [index, box] of to.entries()) {
    const own = variables.get(box.address.toLowerCase()) ?? {}
    mails.push(await composeFor([box], index, { ...own, '': box.address }))
  }
  return queued(id, options, mails)
}

/** The variables of each recipient, who then gets a mail alone; null without any. */
function recipientVariables(
  form: Form,
): ReadonlyMap<string, Readonly<Record<string, string>>> | null {
  const text = first(form, 'recipient-variables')
  if (text === undefined) return null
  const parsed = parsedOrNull(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw reject("'recipient-variables' parameter is not valid JSON")
  return new Map(
    Object.entries(parsed).map(([address, values]) => [
      address.toLowerCase(),
      fieldsOf(JSON.stringify(values) ?? ''),
    ]),
  )
}

function filled(
  text: string | undefined,
  values: Readonly<Record<string, string>>,
): string | undefined {
  return text
    ?.replaceAll(/%recipient\.([\w.-]{1,100})%/g, (tag: string, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : tag,
    )
    .replaceAll(/%recipient(?:_email)?%/g, () => values[''] ?? '')
}

function headersOf(form: Form): readonly MailHeader[] {
  const headers = safeHeaders(form.prefixed('h:'))
  if (headers === null) throw reject("an 'h:' parameter is not a valid header")
  return headers
}

async function textsOf(call: Call, form: Form, { metadata }: Options) {
  const given = {
    subject: first(form, 'subject') ?? '',
    text: first(form, 'text'),
    html: first(form, 'html'),
    amp: first(form, 'amp-html'),
  }
  const name = first(form, 'template')
  if (name === undefined) return given
  const { versions } = (await templates.get(call, name.toLowerCase())).content
  const tag = first(form, 't:version')
  const version =
    tag === undefined
      ? versions.find(({ active }) => active)
      : versions.find((one) => one.tag === tag)
  if (version === undefined)
    throw reject(`template '${name}' has no version${tag === undefined ? '' : ` '${tag}'`}`)
  const variables = parsedOrNull(
    first(form, 't:variables') ?? first(form, 'h:X-Mailgun-Variables') ?? '{}',
  )
  const data = { ...metadata, ...(typeof variables === 'object' ? variables : {}) }
  const render = (template: string, isHtml: boolean) =>
    renderHandlebars(template, data, { isHtml }).catch((failed: unknown) => {
      if (failed instanceof TemplateFailed)
        throw reject(`template '${name}' cannot be rendered: ${failed.message}`)
      throw failed
    })
  const html = await render(version.template, true)
  const text = first(form, 't:text') === 'yes' ? html.replaceAll(/<[^>]{0,1000}>/g, '') : given.text
  return {
    ...given,
    html,
    text,
    subject: given.subject || (await render(version.headers['Subject'] ?? '', false)),
  }
}

async function sendMime(call: Call) {
  const form = await readForm(call)
  const to = mailboxes(form, 'to')
  if (to.length === 0) throw reject('to parameter is missing')
  // A file of some SDKs, a text of others.
  const text = first(form, 'message')
  const bytes = form.files('message')[0]?.content ?? (text === undefined ? null : Buffer.from(text))
  if (bytes === null) throw reject('message parameter is missing')
  const options = readOptions(call, form)
  const fields = headerFields(bytes)
  const of = (name: string) => fields.find((field) => field.name.toLowerCase() === name)?.value
  const mailFrom = readMailboxes(of('from') ?? '')?.[0]?.address ?? ''
  if (mailFrom === '')
    throw reject("'from' parameter is not a valid address. please check documentation")
  const own = of('message-id')?.replace(/^<|>$/g, '')
  const id = own === undefined || own === '' ? newId(call) : own
  const date = of('date') === undefined ? call.now : null
  const raw = withOwnHeaders(bytes, {
    mailFrom,
    messageId: own ? null : id,
    date,
    removed: ['bcc', 'return-path'],
    added: options.own,
  })
  const { tags, metadata, scheduledAt } = options
  const mail = {
    raw,
    id: `<${id}>`,
    tags,
    metadata,
    scheduledAt,
    mailFrom,
    subject: of('subject') ?? '',
    recipients: addressesOf(to),
  }
  return queued(id, options, [mail])
}

type Version = {
  readonly tag: string
  readonly template: string
  readonly engine: string
  readonly active: boolean
  readonly headers: Readonly<Record<string, string>>
}
type Template = { readonly description: string; readonly versions: readonly Version[] }

const templates = templatesOf<Template>({
  missing: (name) =>
    reject(`template '${name}' not found; create it with POST /v3/DOMAIN/templates`, 404),
  full: () => reject('The account has as many templates as it may have.'),
})

type Found = Awaited<ReturnType<typeof templates.get>>

function presented({ id, createdAt, content }: Found) {
  const { description, versions } = content
  const found = versions.find(({ active }) => active)
  const created = new Date(createdAt).toUTCString()
  const version = found && { version: { ...found, id: found.tag, createdAt: created } }
  return { name: id, id, description, createdAt: created, createdBy: '', ...version }
}

/** The version of a form; null when it has none. */
function readVersion(form: Form): Version | null {
  const template = first(form, 'template')
  if (template === undefined) return null
  const named = {
    tag: first(form, 'tag') ?? 'initial',
    engine: first(form, 'engine') ?? 'handlebars',
  }
  return { template, ...named, headers: fieldsOf(first(form, 'headers') ?? '{}'), active: true }
}

async function createTemplate(call: Call) {
  const form = await readForm(call)
  const id = (first(form, 'name') ?? '').toLowerCase()
  if (!/^[\w.~-]{1,1000}$/.test(id)) throw reject("'name' parameter is missing or invalid")
  if (await templates.find(call, id)) throw reject(`template with name '${id}' already exists`, 409)
  const version = readVersion(form)
  const description = first(form, 'description') ?? ''
  const content = { description, versions: version === null ? [] : [version] }
  const template = presented(await templates.put(call, { id, alias: id, content }))
  return { template, message: 'template has been stored' }
}

async function createVersion(call: Call) {
  const found = await templates.get(call)
  const form = await readForm(call)
  const version = readVersion(form)
  if (version === null) throw reject("'template' parameter is missing")
  const active = first(form, 'active') === 'yes'
  const others = found.content.versions
    .filter(({ tag }) => tag !== version.tag)
    .map((one) => (active ? { ...one, active: false } : one))
  const content = { ...found.content, versions: [...others, { ...version, active }] }
  const template = presented(await templates.put(call, { ...found, content }))
  return { template, message: 'new version of the template has been stored' }
}

/** The pages of a list, whose first has everything. */
function pagesOf({ baseUrl, path }: Call) {
  const url = `${baseUrl}${path.slice(1)}`
  const none = `${url}?page=none`
  return { previous: none, first: url, next: none, last: url }
}

const keyOf = (id: string) => Buffer.from(id).toString('base64url')

type FoundMail = NonNullable<Awaited<ReturnType<Call['work']['mails']['find']>>>

function eventsOf(call: Call, mail: FoundMail) {
  const id = mail.call.id
  const timestamp = Date.parse(mail.createdAt) / 1000
  const key = keyOf(id)
  const url = `${call.baseUrl}v3/domains/${call.params['domain']}/messages/${key}`
  const boxes = (list: FoundMail['to']) => list.map(({ address }) => address).join(', ')
  const headers = {
    'message-id': id.replace(/^<|>.*$/g, ''),
    from: mail.from.address,
    to: boxes(mail.to),
    subject: mail.subject,
  }
  const attachments = mail.attachments.map((file) => ({
    ...{ filename: file.filename, ...shownFile(file) },
  }))
  const common = {
    timestamp,
    message: { headers, attachments, size: 0 },
    tags: mail.call.tags,
    'user-variables': mail.call.metadata,
    storage: { key, url },
  }
  return mail.recipients.flatMap((recipient) =>
    ['delivered', 'accepted'].map((event) => ({
      event,
      id: keyOf(`${event} ${recipient} ${id}`).slice(0, 22),
      recipient,
      'log-level': 'info',
      ...common,
    })),
  )
}

async function listEvents(call: Call) {
  const isNone = call.query.get('page') === 'none'
  const limit = isNone ? 0 : Math.min(300, Number(call.query.get('limit')) || 100)
  const all = (await call.work.mails.list(limit)).flatMap((mail) => eventsOf(call, mail))
  const [event, recipient, tag] = ['event', 'recipient', 'tags'].map((name) => call.query.get(name))
  const items = all.filter(
    (one) =>
      (!event || one.event === event) &&
      (!recipient || one.recipient === recipient) &&
      (!tag || one.tags.includes(tag)),
  )
  return { items: items.slice(0, limit), paging: pagesOf(call) }
}

async function getMessage(call: Call) {
  const mail = await call.work.mails.find(
    Buffer.from(call.params['key'] ?? '', 'base64url').toString(),
  )
  if (mail === null) throw reject('Message not found', 404)
  const { subject, text, html, headers } = mail
  const from = headers.find(({ name }) => name.toLowerCase() === 'from')?.value
  const named = { subject, from, sender: mail.from.address, 'Message-Id': mail.call.id }
  const common = { ...named, recipients: mail.recipients.join(', ') }
  if (/message\/rfc2822/.test(call.headers['accept'] ?? '')) {
    return { ...common, 'body-mime': Buffer.from(await mail.readRaw()).toString('utf8') }
  }
  const plain = { 'body-plain': text ?? '', 'stripped-text': text ?? '' }
  return {
    ...{ ...common, ...plain, 'body-html': html ?? '', 'stripped-html': html ?? '' },
    attachments: mail.attachments.map((file) => ({ name: file.filename, ...shownFile(file) })),
    'message-headers': headers.map(({ name, value }) => [name, value]),
  }
}

const shownFile = ({ contentType, sizeBytes: size }: FoundMail['attachments'][number]) => ({
  ...{ 'content-type': contentType, size },
})

const domain = ({ params }: Call) => ({
  domain: { name: params['domain'], state: 'active', type: 'custom', is_disabled: false },
  ...{ sending_dns_records: [], receiving_dns_records: [] },
})

const empty = (call: Call) => ({ items: [], paging: pagesOf(call) })

const forbidden: Answer = {
  status: 401,
  body: { text: 'Forbidden', type: 'text/plain; charset=utf-8' },
}

/** Mailgun. */
export const mailgun: Provider = {
  name: 'mailgun',
  hosts: ['api.mailgun.net', 'api.eu.mailgun.net'],
  bodyBytesMax: 26 * 1024 * 1024,
  key: ({ authorization }) => {
    const [, value = ''] = /^Basic +(\S+) *$/i.exec(authorization ?? '') ?? []
    return /^[^:]*:(.+)$/s.exec(Buffer.from(value, 'base64').toString('utf8'))?.[1] ?? null
  },
  routes: [
    { method: 'POST', path: '/v3/:domain/messages', run: sendMessage },
    { method: 'POST', path: '/v3/:domain/messages.mime', run: sendMime },
    ...jsonRoutes({
      'GET /v3/:domain/events': listEvents,
      'GET /v3/domains/:domain/messages/:key': getMessage,
      'GET /v3/domains/:domain': domain,
      'GET /v4/domains/:domain': domain,
      'GET /v3/:domain/bounces': empty,
      'GET /v3/:domain/unsubscribes': empty,
      'GET /v3/:domain/complaints': empty,
      'POST /v3/:domain/templates': createTemplate,
      'GET /v3/:domain/templates': async (call) => ({
        ...{ items: (await templates.list(call)).map(presented), paging: pagesOf(call) },
      }),
      'GET /v3/:domain/templates/:id': async (call) => ({
        template: presented(await templates.get(call)),
      }),
      'DELETE /v3/:domain/templates/:id': async (call) => ({
        template: { name: (await templates.remove(call)).id },
        message: 'template has been deleted',
      }),
      'POST /v3/:domain/templates/:id/versions': createVersion,
    }),
  ],
  refuse: ({ why, status, message }) => {
    if (why === 'missing_key' || why === 'invalid_key') return forbidden
    return json(why === 'unverified' ? 403 : why === 'full' ? 402 : status, { message })
  },
  rateHeaders: ({ limit, remaining, resetAt }) => ({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt * 1000),
  }),
}
