// Forms of Mailgun's API, its templates, and the messages that it has sent.

import { z } from 'zod'
import type { MailFile } from './compose.ts'
import { type Call, json, jsonRoutes, Rejected, templatesOf } from './provider.ts'
import { fieldsOf, readJson } from './read-body.ts'

const KNOWN: ReadonlySet<string> = new Set([
  ...['from', 'to', 'cc', 'bcc', 'subject', 'text', 'html', 'amp-html', 'attachment', 'inline'],
  ...['template', 'recipient-variables', 'message'],
])

/** Rejects a call. */
export function reject(message: string, status = 400): Rejected {
  return new Rejected(json(status, { message }), message)
}

/** A form: the texts and the files of each name. */
export type Form = {
  readonly texts: (name: string) => readonly string[]
  readonly files: (name: string) => readonly MailFile[]
  /** The fields whose names begin with a prefix, without that. */
  readonly prefixed: (prefix: string) => readonly (readonly [name: string, value: string])[]
}

/** The form of a call: urlencoded or multipart. */
export async function readForm(call: Call): Promise<Form> {
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
  const shown = (list: readonly (string | MailFile)[]) =>
    list.map((one) =>
      typeof one === 'string' ? one : `${one.filename} <${one.content.length} bytes>`,
    )
  const recorded = [...texts, ...files].map(([name, list]) => [name, shown(list)] as const)
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

/** The first text of a field. */
export const first = (form: Form, name: string) => form.texts(name)[0]

type Version = {
  readonly tag: string
  readonly template: string
  readonly engine: string
  readonly active: boolean
  readonly headers: Readonly<Record<string, string>>
}
type Template = { readonly description: string; readonly versions: readonly Version[] }

/** The templates of an account. */
export const templates = templatesOf<Template>({
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

const logsSchema = z.looseObject({
  events: z.array(z.string()).nullish(),
  pagination: z.looseObject({ limit: z.int().nullish(), token: z.string().nullish() }).nullish(),
})

/** The events of an account, in the form of its log. Filters beside `events` are not applied. */
async function listLogs(call: Call) {
  const { events, pagination } = readJson(call, logsSchema, ({ field, message }) =>
    reject(`${field}: ${message}`),
  )
  // A token is that of the page behind the first, which has everything.
  const limit = pagination?.token ? 0 : Math.min(100, Math.max(1, pagination?.limit ?? 100))
  const items = (await call.work.mails.list(limit))
    .flatMap((mail) => eventsOf(call, mail))
    .filter(({ event }) => !events?.length || events.includes(event))
    .map(({ timestamp, ...one }) => ({
      ...one,
      '@timestamp': new Date(timestamp * 1000).toISOString(),
      account: { id: 'mayfly' },
    }))
  const [start, end] = [0, call.now].map((time) => new Date(time).toUTCString())
  const shown = items.slice(0, limit)
  const aggregates = { all: items.length, metrics: {} }
  const next = pagination?.token ? null : 'end'
  return { start, end, items: shown, pagination: { next, total: items.length }, aggregates }
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

/** The calls that send nothing. */
export const readingRoutes = jsonRoutes({
  'GET /v3/:domain/events': listEvents,
  'POST /v1/analytics/logs': listLogs,
  'GET /v3/domains/:domain/messages/:key': getMessage,
  // Every domain may send.
  'GET /v3/domains': () => ({ items: [], total_count: 0 }),
  'GET /v4/domains': () => ({ items: [], total_count: 0 }),
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
})
