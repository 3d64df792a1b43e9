// The API of Postmark.

import { z } from 'zod'
import { compose, type MailFile, type MailHeader, readBase64 } from './compose.ts'
import {
  type Answer,
  type Call,
  type Item,
  type ItemResult,
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  type Refusal,
  Rejected,
  type Route,
  safeHeaders,
  templatesOf,
} from './provider.ts'
import {
  addressesOf,
  checkBody,
  type Problem,
  parseJson,
  readJson,
  readMailboxes,
} from './read-body.ts'
import { renderMustache, TemplateFailed } from './templates.ts'

const RECIPIENTS_MAX = 50
const BATCH_MAX = 500
const MiB = 1024 * 1024

/** The key that only validates. */
const TEST_KEY = 'POSTMARK_API_TEST'

const text = z.string().nullish()

const emailFields = {
  From: text,
  To: text,
  Cc: text,
  Bcc: text,
  ReplyTo: text,
  Tag: text,
  Metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .nullish(),
  Headers: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).nullish(),
  TrackOpens: z.boolean().nullish(),
  TrackLinks: z.string().nullish(),
  MessageStream: text,
  Attachments: z
    .array(
      z.strictObject({ Name: z.string(), Content: z.string(), ContentType: text, ContentID: text }),
    )
    .nullish(),
}

const emailSchema = z.strictObject({
  ...emailFields,
  Subject: text,
  HtmlBody: text,
  TextBody: text,
})

const templatedSchema = z.strictObject({
  ...emailFields,
  TemplateId: z.int().nullish(),
  TemplateAlias: text,
  TemplateModel: z.looseObject({}).nullish(),
  InlineCss: z.boolean().nullish(),
})

type Email = z.output<typeof emailSchema>

const templateSchema = z.strictObject({
  Name: text,
  Alias: text,
  Subject: text,
  HtmlBody: text,
  TextBody: text,
  TemplateType: z.enum(['Standard', 'Layout']).nullish(),
  LayoutTemplate: text,
})

type Template = z.output<typeof templateSchema>

function error(status: number, ErrorCode: number, Message: string): Answer {
  return json(status, { ErrorCode, Message })
}

const reject = (code: number, message: string, status = 422) =>
  new Rejected(error(status, code, message), message)

function problem({ kind, field }: Problem): Rejected {
  if (kind === 'json') return reject(402, 'Received invalid JSON input.')
  return reject(403, `The JSON is incompatible: '${field}' is missing or of the wrong type.`)
}

async function readEmail(call: Call, email: Email): Promise<OutgoingMail> {
  if (!email.From) throw reject(300, "Invalid 'From' address: ''.")
  const [from, ...others] = mailboxes(email.From, 'From')
  if (from === undefined || others.length > 0)
    throw reject(300, `Invalid 'From' address: '${email.From}'.`)
  const [to, cc, bcc] = [
    mailboxes(email.To, 'To'),
    mailboxes(email.Cc, 'Cc'),
    mailboxes(email.Bcc, 'Bcc'),
  ]
  const recipients = addressesOf(to, cc, bcc)
  if (to.length === 0) throw reject(300, 'Zero recipients specified')
  if (to.length + cc.length + bcc.length > RECIPIENTS_MAX)
    throw reject(
      300,
      `Too many recipients: the limit is ${RECIPIENTS_MAX} for To, Cc and Bcc together.`,
    )
  const { HtmlBody: html, TextBody, MessageStream: stream } = email
  if (!html && !TextBody) throw reject(300, 'Provide either email TextBody or HtmlBody or both.')
  for (const body of [html, TextBody]) {
    if (Buffer.byteLength(body ?? '') > 5 * MiB)
      throw reject(300, 'The TextBody and the HtmlBody may have up to 5 MB each.')
  }
  if ((email.Tag ?? '').length > 1_000)
    throw reject(300, "The 'Tag' may have up to 1000 characters.")
  if (stream && !/^[a-z0-9_-]{1,30}$/.test(stream))
    throw reject(1235, "The 'MessageStream' provided does not exist on this server.")
  const subject = email.Subject ?? ''
  if (subject.length > 2_000) throw reject(300, "The 'Subject' may have up to 2000 characters.")
  const id = call.work.uuid()
  const metadata = Object.fromEntries(
    Object.entries(email.Metadata ?? {}).map(([name, value]) => [name, String(value ?? '')]),
  )
  const own = email.Headers?.find(({ Name }) => Name.toLowerCase() === 'message-id')?.Value
  const keepsId = email.Headers?.some(
    ({ Name, Value }) => Name.toLowerCase() === 'x-pm-keepid' && Value === 'true',
  )
  const raw = await compose(call, {
    ...{ from, to, cc, subject, html, text: TextBody, files: readFiles(email), date: call.now },
    replyTo: mailboxes(email.ReplyTo, 'ReplyTo'),
    headers: headersOf(email, { id, metadata }),
    messageId: keepsId && own !== undefined ? own.replace(/^<|>$/g, '') : `${id}@mtasv.net`,
  })
  return {
    ...{ raw, id, metadata, recipients, subject, mailFrom: from.address, scheduledAt: null },
    tags: email.Tag ? [email.Tag] : [],
    mayBeLoose: recipients.every((address) =>
      /@(?:blackhole|bounce-testing)\.postmarkapp\.com$/i.test(address),
    ),
  }
}

function mailboxes(given: string | null | undefined, field: string) {
  const found = readMailboxes(given ?? '')
  if (found === null)
    throw reject(300, `Invalid '${field}' address: '${(given ?? '').slice(0, 200)}'.`)
  return found
}

function headersOf(
  email: Email,
  { id, metadata }: { readonly id: string; readonly metadata: Readonly<Record<string, string>> },
): readonly MailHeader[] {
  const given = safeHeaders((email.Headers ?? []).map(({ Name, Value }) => [Name, Value]))
  if (given === null) throw reject(300, 'Invalid header: names and values must be on one line.')
  return [
    ...given.filter(({ name }) => !['message-id', 'x-pm-keepid'].includes(name.toLowerCase())),
    { name: 'X-PM-Message-Id', value: id },
    ...(email.Tag ? [{ name: 'X-PM-Tag', value: email.Tag }] : []),
    ...Object.entries(metadata).map(([name, value]) => ({ name: `X-PM-Metadata-${name}`, value })),
    ...(email.MessageStream === 'broadcast'
      ? [{ name: 'List-Unsubscribe', value: `<https://unsubscribe.postmarkapp.com/${id}>` }]
      : []),
  ]
}

const FORBIDDEN =
  /\.(?:vbs|exe|bin|bat|chm|com|cpl|crt|hlp|hta|inf|ins|isp|jse?|lnk|mdb|pcd|pif|reg|scr|sct|shs|vbe|vba|wsf|wsh|wsl|ms[cipt])$/i

function readFiles({ Attachments }: Email): readonly MailFile[] {
  return (Attachments ?? []).map(({ Name, Content, ContentType, ContentID }) => {
    if (FORBIDDEN.test(Name))
      throw reject(411, `The file extension of '${Name.slice(-100)}' is not allowed.`)
    const content = readBase64(Content)
    if (content === null)
      throw reject(
        300,
        `The content of the attachment '${Name.slice(0, 100)}' is not valid base64.`,
      )
    const contentId = ContentID?.replace(/^cid:/, '') || undefined
    return {
      filename: Name,
      content,
      contentType: ContentType ?? undefined,
      contentId,
      inline: contentId !== undefined,
    }
  })
}

/** The answer to a mail that is accepted. */
function accepted(call: Call, email: Email, { id }: OutgoingMail) {
  const { To, Cc, Bcc } = email
  const isTest = call.headers['x-postmark-server-token'] === TEST_KEY
  const copies = { ...(Cc ? { Cc } : {}), ...(Bcc ? { Bcc } : {}) }
  return {
    To,
    ...copies,
    SubmittedAt: call.now.toISOString(),
    MessageID: id,
    ErrorCode: 0,
    Message: isTest ? 'Test job accepted' : 'OK',
  }
}

type Read = (call: Call, value: unknown) => Promise<Email>

const readPlain: Read = async (call, value) =>
  checkBody(call, { schema: emailSchema, value, onInvalid: problem })

const readTemplated: Read = async (call, value) => {
  const given = checkBody(call, { schema: templatedSchema, value, onInvalid: problem })
  const { TemplateId, TemplateAlias, TemplateModel, InlineCss: _, ...email } = given
  if (!TemplateId && !TemplateAlias)
    throw reject(1109, "The 'TemplateId' or the 'TemplateAlias' must be specified.")
  const template = (await templates.get(call, String(TemplateId || TemplateAlias))).content
  return { ...email, ...(await renderTemplate(call, template, TemplateModel ?? {})) }
}

async function renderTemplate(
  call: Call,
  { Subject, HtmlBody, TextBody, LayoutTemplate }: Template,
  model: object,
) {
  const layout = LayoutTemplate ? (await templates.get(call, LayoutTemplate)).content : null
  const render = async (
    template: string | null | undefined,
    outer: string | null | undefined,
    isHtml: boolean,
  ) => {
    if (!template) return null
    const inner = await renderMustache(template, model, { isHtml }).catch(failedTemplate)
    // The place for the content of a template is the only thing in a layout that is no variable.
    if (!outer) return inner
    const whole = await renderMustache(
      outer.replaceAll(/\{\{\{\s*@content\s*\}\}\}/g, PLACE),
      model,
      { isHtml },
    ).catch(failedTemplate)
    return whole.replaceAll(PLACE, () => inner)
  }
  return {
    Subject: await render(Subject, null, false),
    HtmlBody: await render(HtmlBody, layout?.HtmlBody, true),
    TextBody: await render(TextBody, layout?.TextBody, false),
  }
}

const PLACE = '\u{e000}content\u{e000}'

function failedTemplate(failed: unknown): never {
  if (failed instanceof TemplateFailed)
    throw reject(1123, `The template cannot be rendered: ${failed.message}`)
  throw failed
}

const sendOne = (read: Read) => async (call: Call) => {
  const email = await read(call, parseJson(call, problem))
  const mail = await readEmail(call, email)
  return { answer: json(200, accepted(call, email, mail)), mails: [mail] }
}

const sendBatch = (path: string, read: Read, listOf: (body: unknown) => unknown): Route => ({
  method: 'POST',
  path,
  run: async (call) => {
    const list = listOf(parseJson(call, problem))
    if (!Array.isArray(list))
      throw reject(403, 'The JSON is incompatible: a list of messages is expected.')
    if (list.length > BATCH_MAX)
      throw reject(410, `Too many batch messages: the limit is ${BATCH_MAX}.`)
    const items: Item[] = []
    for (const one of list) {
      try {
        const email = await read(call, one)
        const mail = await readEmail(call, email)
        items.push({ mails: [mail], accepted: accepted(call, email, mail) })
      } catch (failed) {
        if (!(failed instanceof Rejected)) throw failed
        const { body } = failed.answer
        items.push({
          rejected: body !== null && 'json' in body ? body.json : null,
          reason: failed.message,
        })
      }
    }
    return { items }
  },
  join: (results) => json(200, results.map(itemFields)),
})

function itemFields(one: ItemResult): unknown {
  if ('refusal' in one) return refusalFields(one.refusal)
  return 'rejected' in one ? one.rejected : one.accepted
}

const templates = templatesOf<Template>({
  missing: (name, { baseUrl }) =>
    reject(1101, `The template '${name}' was not found. Create it with POST ${baseUrl}templates.`),
  full: () => reject(1105, 'The account has as many templates as it may have.'),
})

type Found = Awaited<ReturnType<typeof templates.get>>

const presented = ({ id, alias, content }: Found) => ({
  ...{ TemplateType: 'Standard', LayoutTemplate: null, ...content },
  ...{ TemplateId: Number(id), Alias: alias === id ? null : alias },
  ...{ Active: true, AssociatedServerId: 1 },
})

const saveTemplate = (isNew: boolean) => async (call: Call) => {
  const old = isNew ? null : await templates.get(call)
  const content = { ...old?.content, ...readJson(call, templateSchema, problem) }
  if (!content.Name) throw reject(1122, "A template must have a 'Name'.")
  if (!content.HtmlBody && !content.TextBody) {
    throw reject(1121, "A template must have an 'HtmlBody' or a 'TextBody'.")
  }
  const id = old?.id ?? String(Number.parseInt(call.work.uuid().slice(0, 7), 16))
  const other = content.Alias ? await templates.find(call, content.Alias) : null
  if (other !== null && other.id !== id) {
    throw reject(1125, `The alias '${content.Alias}' is used by another template.`)
  }
  const saved = await templates.put(call, { ...old, id, alias: content.Alias || id, content })
  const { Subject: _, HtmlBody: __, TextBody: ___, ...shown } = presented(saved)
  return shown
}

const templateRoutes = jsonRoutes({
  'POST /templates': saveTemplate(true),
  'PUT /templates/:id': saveTemplate(false),
  'GET /templates/:id': async (call) => presented(await templates.get(call)),
  'GET /templates': async (call) => {
    const Templates = (await templates.list(call)).map(presented)
    return { TotalCount: Templates.length, Templates }
  },
  'DELETE /templates/:id': async (call) => {
    const { id } = await templates.remove(call)
    return { ErrorCode: 0, Message: `Template ${id} removed.` }
  },
})

async function getMessage(call: Call) {
  const found = await call.work.mails.find(call.params['id'] ?? '')
  if (found !== null) return found
  throw reject(
    701,
    'This message was not found or you tried to access a message that does not belong to this server.',
  )
}

type FoundMail = Awaited<ReturnType<typeof getMessage>>

function presentedMail(mail: FoundMail) {
  const boxes = (list: FoundMail['to']) =>
    list.map(({ name, address }) => ({ Email: address, Name: name }))
  const { from, call, subject, createdAt } = mail
  return {
    ...{
      MessageID: call.id,
      Tag: call.tags[0] ?? null,
      Metadata: call.metadata,
      MessageStream: 'outbound',
    },
    ...{ To: boxes(mail.to), Cc: boxes(mail.cc), Bcc: [], Recipients: mail.recipients },
    From: from.name ? `"${from.name}" <${from.address}>` : from.address,
    ...{
      ReceivedAt: createdAt,
      Subject: subject,
      Status: 'Sent',
      Sandboxed: false,
      TrackOpens: false,
      TrackLinks: 'None',
    },
    Attachments: mail.attachments.map(({ filename }) => filename),
  }
}

async function details(call: Call) {
  const mail = await getMessage(call)
  const Details = { DeliveryMessage: 'smtp;250 OK', DestinationServer: 'localhost' }
  const event = { Type: 'Delivered', ReceivedAt: mail.createdAt, Details }
  const MessageEvents = mail.recipients.map((Recipient) => ({ Recipient, ...event }))
  const bodies = { TextBody: mail.text, HtmlBody: mail.html, Body: await rawText(mail) }
  return { ...presentedMail(mail), ...bodies, MessageEvents }
}

const rawText = async (mail: FoundMail) => Buffer.from(await mail.readRaw()).toString('utf8')

async function listMessages({ work, query }: Call) {
  const asked = (name: string, fallback: number) =>
    Math.min(500, Math.max(0, Number(query.get(name) ?? fallback) || 0))
  const offset = asked('offset', 0)
  const found = (await work.mails.list(offset + asked('count', 50))).map(presentedMail)
  const [recipient, tag] = [query.get('recipient'), query.get('tag')]
  const matching = found.filter(
    (one) => (!recipient || one.Recipients.includes(recipient)) && (!tag || one.Tag === tag),
  )
  return { TotalCount: matching.length, Messages: matching.slice(offset) }
}

const messageRoutes = jsonRoutes({
  'GET /messages/outbound': listMessages,
  'GET /messages/outbound/:id/details': details,
  'GET /messages/outbound/:id/dump': async (call) => ({
    Body: await rawText(await getMessage(call)),
  }),
  'GET /bounces': () => ({ TotalCount: 0, Bounces: [] }),
  'GET /deliverystats': () => ({ InactiveMails: 0, Bounces: [] }),
  'GET /server': () => ({ ID: 1, Name: 'Mayfly', Color: 'green', DeliveryType: 'Sandbox' }),
})

const CODES: Readonly<Partial<Record<Refusal['why'], readonly [status: number, code: number]>>> = {
  missing_key: [401, 10],
  invalid_key: [401, 10],
  unverified: [422, 400],
  full: [422, 405],
  too_large: [413, 300],
  malformed: [422, 402],
}

function refusalFields({ why, status, message }: Refusal) {
  const [, code] = CODES[why] ?? []
  return { ErrorCode: code ?? STATUS_CODES[status] ?? 0, Message: message }
}

/** The error codes of faults that are injected by their status. */
const STATUS_CODES: Readonly<Record<number, number>> = {
  401: 10,
  406: 406,
  422: 300,
  500: 500,
  503: 100,
}

/** Postmark. */
export const postmark: Provider = {
  name: 'postmark',
  hosts: ['api.postmarkapp.com'],
  bodyBytesMax: 50 * MiB,
  key: (headers) =>
    headers['x-postmark-server-token'] ?? headers['x-postmark-account-token'] ?? null,
  testKey: TEST_KEY,
  routes: [
    {
      method: 'POST',
      path: '/email',
      run: (call) => (call.body.length > 10 * MiB ? tooLarge() : sendOne(readPlain)(call)),
    },
    { method: 'POST', path: '/email/withTemplate', run: sendOne(readTemplated) },
    sendBatch('/email/batch', readPlain, (body) => body),
    sendBatch('/email/batchWithTemplates', readTemplated, (body) =>
      typeof body === 'object' && body !== null && 'Messages' in body ? body.Messages : body,
    ),
    ...messageRoutes,
    ...templateRoutes,
  ],
  refuse: (refusal) => {
    // An error code of its own, which has no status of its own.
    const status = refusal.status === 406 ? 422 : refusal.status
    return json(CODES[refusal.why]?.[0] ?? status, refusalFields(refusal))
  },
}

function tooLarge(): never {
  throw reject(300, 'The message may have up to 10 MB, attachments included.', 413)
}
