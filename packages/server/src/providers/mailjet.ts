// The API of Mailjet: version 3.1 of its send call.

import { z } from 'zod'
import type { MailFile } from './compose.ts'
import {
  bodyOf,
  itemsOf,
  mailOf,
  partsOf,
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
  numericId,
  type Provider,
  Rejected,
  templatesOf,
} from './provider.ts'
import { checkBody, fieldsOf, type Problem, passwordOf, readJson } from './read-body.ts'

const MESSAGES_MAX = 50
const RECIPIENTS_MAX = 50

const address = z.strictObject({ Email: z.string(), Name: text })
const addresses = z.array(address).nullish()
const file = { ContentType: text, Filename: z.string(), Base64Content: z.string() }
const flag = z.union([z.boolean(), z.string(), z.number()]).nullish()

const messageSchema = z.strictObject({
  From: address.nullish(),
  ...{ Sender: address.nullish(), To: addresses, Cc: addresses, Bcc: addresses },
  ...{ ReplyTo: address.nullish(), Subject: text, TextPart: text, HTMLPart: text },
  Attachments: z.array(z.strictObject(file)).nullish(),
  InlinedAttachments: z.array(z.strictObject({ ...file, ContentID: text })).nullish(),
  ...{ Headers: variables, Variables: variables, TemplateLanguage: flag },
  TemplateID: z.union([z.int(), z.string()]).nullish(),
  TemplateErrorReporting: address.nullish(),
  ...{ TemplateErrorDeliver: flag, CustomID: text, EventPayload: text, CustomCampaign: text },
  ...{ DeduplicateCampaign: flag, MonitoringCategory: text, URLTags: text, Priority: flag },
  ...{ TrackOpens: text, TrackClicks: text },
})

const sendSchema = z.strictObject({
  Messages: z.array(z.record(z.string(), z.unknown())),
  Globals: z.record(z.string(), z.unknown()).nullish(),
  SandboxMode: z.boolean().nullish(),
  AdvanceErrorHandling: z.boolean().nullish(),
})

type Message = z.output<typeof messageSchema>
type Addresses = Message['To']

type Fault = { readonly code: string; readonly status?: number; readonly related: string[] }

/** Rejects one message; the others are sent. */
const reject = (message: string, { code, status = 400, related }: Fault) => {
  const error = {
    ...{ ErrorCode: code, StatusCode: status },
    ...{ ErrorMessage: message, ErrorRelatedTo: related },
  }
  return new Rejected(json(status, { Status: 'error', Errors: [error] }), message)
}

const invalid = ({ kind, field }: Problem) =>
  kind === 'missing'
    ? reject('Mandatory property missing.', { code: 'mj-0003', related: [field] })
    : reject('Type mismatch.', { code: 'mj-0004', related: [field] })

const parts = partsOf({
  address: (field, value) => {
    const related = [field.replace(/email$/, 'Email')]
    return reject(`"${value}" is an invalid email address.`, { code: 'mj-0013', related })
  },
  file: (field) => reject('Invalid base64 string.', { code: 'mj-0019', related: [field] }),
  header: (field) =>
    reject('Header cannot be customized using the "Headers" collection.', {
      ...{ code: 'send-0011', related: [field] },
    }),
})

const boxes = (list: Addresses, field: string) =>
  parts.boxes(
    list?.map(({ Email: email, Name: name }) => ({ email, name })),
    field,
  )

const malformed = ({ work }: Call, message: string) => {
  const answer = { ErrorIdentifier: work.uuid(), ErrorCode: 'mj-0002', StatusCode: 400 }
  return new Rejected(json(400, { ...answer, ErrorMessage: message }), message)
}

async function send(call: Call) {
  const body = readJson(call, sendSchema, ({ field }) =>
    malformed(
      call,
      `Malformed JSON, please review the syntax and properties types. ${field}`.trim(),
    ),
  )
  const { Messages, Globals, SandboxMode } = body
  if (Messages.length === 0 || Messages.length > MESSAGES_MAX) {
    throw malformed(call, `"Messages" must have between 1 and ${MESSAGES_MAX} messages.`)
  }
  const items = await itemsOf(Messages, async (one) => {
    const value = { ...Globals, ...one }
    const message = checkBody(call, { schema: messageSchema, value, onInvalid: invalid })
    return composeOne(call, message)
  })
  if (SandboxMode !== true) return { items }
  const results = items.map((item) =>
    'rejected' in item ? { rejected: item.rejected } : { accepted: item.accepted },
  )
  return { answer: join(results), note: 'sandbox mode: checked and not sent' }
}

const rowsOf = (...Data: readonly object[]) => ({ Count: Data.length, Data, Total: Data.length })

const templateSchema = z.strictObject({
  ...texts('Name', 'Author', 'Description', 'OwnerType', 'Locale'),
  ...{ Purposes: z.array(z.string()).nullish(), Categories: z.array(z.string()).nullish() },
  ...{ EditMode: z.union([z.int(), z.string()]).nullish(), IsTextPartGenerationEnabled: flag },
})

const contentSchema = z.strictObject({
  ...{ ...texts('Html-part', 'Text-part'), MJMLContent: z.unknown().optional() },
  Headers: z.looseObject({ Subject: text }).nullish(),
})

type Template = z.output<typeof templateSchema> & z.output<typeof contentSchema>

const templates = templatesOf<Template>({
  missing: (id, { path }) =>
    path.endsWith('/send')
      ? reject(`Template ${id} does not exist: create it with POST /v3/REST/template.`, {
          ...{ code: 'send-0010', related: ['TemplateID'] },
        })
      : new Rejected(
          json(404, { ErrorMessage: 'Object not found', StatusCode: 404 }),
          'no template',
        ),
  full: () =>
    new Rejected(
      json(400, { ErrorMessage: 'The account has too many templates', StatusCode: 400 }),
      'too many templates',
    ),
})

const presented = ({ id, content }: Awaited<ReturnType<typeof templates.get>>) => {
  const { Name, Author, Description, Locale, Purposes, Categories } = content
  return { ID: Number(id), Name, Author, Description, Locale, Purposes, Categories }
}

const templateRoutes = jsonRoutes({
  'POST /v3/REST/template 201': async (call) => {
    const content = readJson(call, templateSchema, invalid)
    if (!content.Name)
      throw reject('Mandatory property missing.', { code: 'mj-0003', related: ['Name'] })
    const id = numericId(call)
    return rowsOf(presented(await templates.put(call, { id, alias: content.Name, content })))
  },
  'GET /v3/REST/template': async (call) => rowsOf(...(await templates.list(call)).map(presented)),
  'GET /v3/REST/template/:id': async (call) => rowsOf(presented(await templates.get(call))),
  'DELETE /v3/REST/template/:id': async (call) => void (await templates.remove(call)),
  'POST /v3/REST/template/:id/detailcontent 201': async (call) => {
    const found = await templates.get(call)
    const own = readJson(call, contentSchema, invalid)
    await templates.put(call, { ...found, content: { ...found.content, ...own } })
    return rowsOf(own)
  },
  'GET /v3/REST/template/:id/detailcontent': async (call) => {
    const { content } = await templates.get(call)
    const { Headers, MJMLContent } = content
    const parts = { 'Html-part': content['Html-part'], 'Text-part': content['Text-part'] }
    return rowsOf({ ...parts, Headers, MJMLContent })
  },
})

async function composeOne(call: Call, message: Message) {
  const { From, ReplyTo, CustomID, EventPayload, CustomCampaign } = message
  const template = message.TemplateID
    ? (await templates.get(call, String(message.TemplateID))).content
    : null
  const TextPart = message.TextPart ?? template?.['Text-part']
  const HTMLPart = message.HTMLPart ?? template?.['Html-part']
  const Subject = message.Subject ?? template?.Headers?.Subject
  if (!From) throw reject('Mandatory property missing.', { code: 'mj-0003', related: ['From'] })
  const [from] = boxes([From], 'From')
  const [to, cc, bcc] = [
    boxes(message.To, 'To'),
    boxes(message.Cc, 'Cc'),
    boxes(message.Bcc, 'Bcc'),
  ]
  if (from === undefined || to.length === 0) {
    throw reject('Mandatory property missing.', { code: 'mj-0003', related: ['To'] })
  }
  for (const [related, list] of Object.entries({ To: to, Cc: cc, Bcc: bcc })) {
    if (list.length <= RECIPIENTS_MAX) continue
    const rule = `There may be up to ${RECIPIENTS_MAX} recipients.`
    throw reject(rule, { code: 'mj-0024', related: [related] })
  }
  if (!TextPart && !HTMLPart) {
    throw reject('At least "HTMLPart", "TextPart" or "TemplateID" must be provided.', {
      ...{ code: 'send-0003', related: ['HTMLPart', 'TextPart', 'TemplateID'] },
    })
  }
  const hasVariables = message.TemplateLanguage === true || message.TemplateLanguage === 'true'
  const fill = (given: string | null | undefined) =>
    hasVariables ? withVariables(given, message.Variables ?? {}) : given
  const uuid = call.work.uuid()
  // Below 2^52: SDKs read it as a number.
  const MessageID = Number.parseInt(uuid.replaceAll('-', '').slice(0, 13), 16)
  const own = {
    ...(CustomID ? { 'X-MJ-CustomID': CustomID } : {}),
    ...(EventPayload ? { 'X-MJ-EventPayload': EventPayload } : {}),
  }
  const mail = await mailOf(call, {
    ...{ id: String(MessageID), messageId: `${uuid}@mailjet.com`, from, to, cc, bcc },
    ...{ subject: fill(Subject), text: fill(TextPart), html: fill(HTMLPart) },
    replyTo: ReplyTo ? boxes([ReplyTo], 'ReplyTo') : [],
    headers: parts.headers({ ...message.Headers, ...own }, 'Headers'),
    files: readFiles(message),
    tags: CustomCampaign ? [CustomCampaign] : [],
    metadata: { ...fieldsOf(EventPayload ?? ''), ...(CustomID ? { CustomID } : {}) },
  })
  const sent = (list: typeof to) =>
    list.map(({ address: Email }) => ({
      ...{ Email, MessageUUID: uuid, MessageID },
      MessageHref: `https://api.mailjet.com/v3/message/${MessageID}`,
    }))
  const lists = { To: sent(to), Cc: sent(cc), Bcc: sent(bcc) }
  return { mails: [mail], accepted: { Status: 'success', CustomID: CustomID ?? '', ...lists } }
}

/** A text with the values of its `{{var:name}}` and `{{var:name:"default"}}`. */
function withVariables(
  given: string | null | undefined,
  values: Readonly<Record<string, unknown>>,
) {
  const known = new Map(Object.entries(values))
  return given?.replaceAll(
    /\{\{\s*var:([\w.-]{1,100})(?::"([^"{}]{0,1000})")?\s*\}\}/g,
    (_tag, name: string, fallback: string | undefined) => String(known.get(name) ?? fallback ?? ''),
  )
}

function readFiles({ Attachments, InlinedAttachments }: Message): readonly MailFile[] {
  const read = (one: NonNullable<Message['InlinedAttachments']>[number], isInline: boolean) => {
    const { Base64Content: content, Filename: filename, ContentType: type, ContentID } = one
    const inline = { content_id: ContentID ?? filename, disposition: 'inline' } as const
    return parts.file({ content, filename, type, ...(isInline ? inline : {}) }, 'Attachments')
  }
  return [
    ...(Attachments ?? []).map((one) => read(one, false)),
    ...(InlinedAttachments ?? []).map((one) => read(one, true)),
  ]
}

/** One message that fails gives the whole answer its status. */
function join(results: readonly ItemResult[]) {
  const Messages = results.map((one) =>
    resultOf(one, ({ message }) => {
      const code = { code: 'send-0008', status: 403, related: ['From'] }
      return bodyOf(reject(message, code).answer)
    }),
  )
  const failed = results.find((one) => !('accepted' in one))
  const status = failed === undefined ? 200 : 'refusal' in failed ? 403 : 400
  return json(status, { Messages })
}

/** Mailjet. */
export const mailjet: Provider = {
  name: 'mailjet',
  hosts: ['api.mailjet.com', 'api.us.mailjet.com'],
  bodyBytesMax: 20 * 1024 * 1024,
  key: passwordOf,
  routes: [
    { method: 'POST', path: '/v3.1/send', run: send, join },
    ...templateRoutes,
    ...jsonRoutes({
      'GET /v3/REST/apikey': () =>
        rowsOf({ ID: 1, IsActive: true, IsMaster: true, Name: 'Mayfly' }),
      'GET /v3/REST/user': () => rowsOf({ ID: 1, Username: 'Mayfly' }),
      'GET /v3/REST/sender': () => rowsOf({ ID: 1, Email: '*@*', Status: 'Active' }),
      'GET /v3/REST/message/:id': async ({ work, params }) => {
        const found = await work.mails.find(params['id'] ?? '')
        if (found === null) return rowsOf()
        const { call, createdAt, subject } = found
        return rowsOf({
          ID: Number(call.id),
          ArrivedAt: createdAt,
          Subject: subject,
          Status: 'sent',
        })
      },
    }),
  ],
  refuse: ({ why, status, message }, { id: ErrorIdentifier }) => {
    const isKey = why === 'missing_key' || why === 'invalid_key'
    const StatusCode = isKey ? 401 : why === 'full' ? 403 : status
    const ErrorMessage = isKey
      ? `API key authentication/authorization failure. ${message}`
      : message
    return json(StatusCode, { ErrorIdentifier, StatusCode, ErrorMessage })
  },
}
