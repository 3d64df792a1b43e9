// The API of Postmark.

import { z } from 'zod'
import type { MailHeader } from './compose.ts'
import { filledTexts, itemsOf, mailOf, partsOf, resultOf, text, texts } from './mail-fields.ts'
import {
  messageRoutes,
  problem,
  reject,
  type Template,
  templateRoutes,
  templates,
} from './postmark-calls.ts'
import {
  type Call,
  type Codes,
  codeOf,
  json,
  type OutgoingMail,
  type Provider,
  type Refusal,
  type Route,
} from './provider.ts'
import { checkBody, parseJson, readJson } from './read-body.ts'
import { renderMustache } from './templates.ts'

const RECIPIENTS_MAX = 50
const BATCH_MAX = 500
const MiB = 1024 * 1024

/** The key that only validates. */
const TEST_KEY = 'POSTMARK_API_TEST'

const emailFields = {
  ...texts('From', 'To', 'Cc', 'Bcc', 'ReplyTo', 'Tag', 'TrackLinks', 'MessageStream'),
  Metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .nullish(),
  Headers: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).nullish(),
  TrackOpens: z.boolean().nullish(),
  Attachments: z
    .array(
      z.strictObject({ Name: z.string(), Content: z.string(), ContentType: text, ContentID: text }),
    )
    .nullish(),
}

const emailSchema = z.strictObject({
  ...emailFields,
  ...texts('Subject', 'HtmlBody', 'TextBody'),
})

const templatedSchema = z.strictObject({
  ...emailFields,
  TemplateId: z.int().nullish(),
  TemplateAlias: text,
  TemplateModel: z.looseObject({}).nullish(),
  InlineCss: z.boolean().nullish(),
})

type Email = z.output<typeof emailSchema>

const parts = partsOf({
  address: (field, value) => reject(300, `Invalid '${field}' address: '${value.slice(0, 200)}'.`),
  file: (_field, name) =>
    reject(300, `The content of the attachment '${name.slice(0, 100)}' is not valid base64.`),
  header: () => reject(300, 'Invalid header: names and values must be on one line.'),
  ...{ hasEmptyFiles: true, reserved: new Set<string>() },
})

async function readEmail(call: Call, email: Email): Promise<OutgoingMail> {
  const lists = readRecipients(email)
  checkFields(email)
  const id = call.work.uuid()
  const metadata = Object.fromEntries(
    Object.entries(email.Metadata ?? {}).map(([name, value]) => [name, String(value ?? '')]),
  )
  const given = new Map(email.Headers?.map(({ Name, Value }) => [Name.toLowerCase(), Value]))
  const own = given.get('x-pm-keepid') === 'true' ? given.get('message-id') : undefined
  return mailOf(call, {
    ...{ ...lists, id, metadata, tags: email.Tag ? [email.Tag] : [] },
    ...{ subject: email.Subject, html: email.HtmlBody, text: email.TextBody },
    replyTo: parts.mailboxes(email.ReplyTo, 'ReplyTo'),
    headers: headersOf(email, { id, metadata }),
    files: readFiles(email),
    messageId: own === undefined ? `${id}@mtasv.net` : own.replace(/^<|>$/g, ''),
    isResult: (address) => /@(?:blackhole|bounce-testing)\.postmarkapp\.com$/i.test(address),
  })
}

function readRecipients({ From, To, Cc, Bcc }: Email) {
  const [from, ...others] = parts.mailboxes(From, 'From')
  if (from === undefined || others.length > 0)
    throw reject(300, `Invalid 'From' address: '${From ?? ''}'.`)
  const lists = {
    to: parts.mailboxes(To, 'To'),
    cc: parts.mailboxes(Cc, 'Cc'),
    bcc: parts.mailboxes(Bcc, 'Bcc'),
  }
  if (lists.to.length === 0) throw reject(300, 'Zero recipients specified')
  const rule = `the limit is ${RECIPIENTS_MAX} for To, Cc and Bcc together.`
  if (lists.to.length + lists.cc.length + lists.bcc.length > RECIPIENTS_MAX)
    throw reject(300, `Too many recipients: ${rule}`)
  return { from, ...lists }
}

function checkFields({ HtmlBody, TextBody, Tag, MessageStream, Subject }: Email): void {
  if (!HtmlBody && !TextBody)
    throw reject(300, 'Provide either email TextBody or HtmlBody or both.')
  for (const body of [HtmlBody, TextBody]) {
    if (Buffer.byteLength(body ?? '') > 5 * MiB)
      throw reject(300, 'The TextBody and the HtmlBody may have up to 5 MB each.')
  }
  if ((Tag ?? '').length > 1_000) throw reject(300, "The 'Tag' may have up to 1000 characters.")
  if (MessageStream && !/^[a-z0-9_-]{1,30}$/.test(MessageStream))
    throw reject(1235, "The 'MessageStream' provided does not exist on this server.")
  if ((Subject ?? '').length > 2_000)
    throw reject(300, "The 'Subject' may have up to 2000 characters.")
}

function headersOf(
  email: Email,
  { id, metadata }: { readonly id: string; readonly metadata: Readonly<Record<string, string>> },
): readonly MailHeader[] {
  const given = parts.headers(
    (email.Headers ?? []).map(({ Name, Value }) => [Name, Value] as const),
  )
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

const readFiles = ({ Attachments }: Email) =>
  (Attachments ?? []).map(({ Name: filename, Content: content, ContentType: type, ContentID }) => {
    if (FORBIDDEN.test(filename))
      throw reject(411, `The file extension of '${filename.slice(-100)}' is not allowed.`)
    const content_id = ContentID?.replace(/^cid:/, '')
    const disposition = content_id ? 'inline' : 'attachment'
    return parts.file({ filename, content, type, content_id, disposition }, 'Attachments')
  })

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
  const fill = (texts: Parameters<typeof filledTexts>[0]) =>
    filledTexts(texts, model, {
      render: renderMustache,
      reject: (why) => reject(1123, `The template cannot be rendered: ${why}`),
    })
  const own = await fill({ subject: Subject, text: TextBody, html: HtmlBody })
  // The place for the content of a template is the only thing in a layout that is no variable.
  const placed = (outer: string | null | undefined) =>
    outer?.replaceAll(/\{\{\{\s*@content\s*\}\}\}/g, PLACE)
  const layout = LayoutTemplate ? (await templates.get(call, LayoutTemplate)).content : null
  const outer = await fill({
    text: own.text === null ? null : placed(layout?.TextBody),
    html: own.html === null ? null : placed(layout?.HtmlBody),
  })
  const within = (whole: string | null, inner: string | null) =>
    whole === null ? inner : whole.replaceAll(PLACE, () => inner ?? '')
  return {
    ...{ Subject: own.subject, HtmlBody: within(outer.html, own.html) },
    TextBody: within(outer.text, own.text),
  }
}

const PLACE = '\u{e000}content\u{e000}'

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
    const items = await itemsOf<unknown>(list, async (one) => {
      const email = await read(call, one)
      const mail = await readEmail(call, email)
      return { mails: [mail], accepted: accepted(call, email, mail) }
    })
    return { items }
  },
  join: (results) =>
    json(
      200,
      results.map((one) => resultOf(one, refusalFields)),
    ),
})

const bulkSchema = z.strictObject({
  ...emailFields,
  ...texts('Subject', 'HtmlBody', 'TextBody', 'TemplateAlias'),
  TemplateId: z.int().nullish(),
  InlineCss: z.boolean().nullish(),
  Messages: z.array(
    z.strictObject({
      ...texts('To', 'Cc', 'Bcc'),
      TemplateModel: z.looseObject({}).nullish(),
      Metadata: emailFields.Metadata,
      Headers: emailFields.Headers,
    }),
  ),
})

/** One content for many recipients, each with own values. It is accepted or refused as a whole. */
async function sendBulk(call: Call) {
  const {
    Messages,
    TemplateId,
    TemplateAlias,
    InlineCss: _,
    ...shared
  } = readJson(call, bulkSchema, problem)
  if (Messages.length === 0) throw reject(300, "'Messages' must have at least one message.")
  const name = TemplateId || TemplateAlias
  const { Subject, HtmlBody, TextBody } = shared
  const template = name
    ? (await templates.get(call, String(name))).content
    : { Subject, HtmlBody, TextBody }
  const Id = call.work.uuid()
  const mails: OutgoingMail[] = []
  for (const [i, { TemplateModel, ...own }] of Messages.entries()) {
    const texts = await renderTemplate(call, template, TemplateModel ?? {})
    const Metadata = { ...shared.Metadata, ...own.Metadata }
    const Headers = [...(shared.Headers ?? []), ...(own.Headers ?? [])]
    const mail = await readEmail(call, { ...shared, ...own, ...texts, Metadata, Headers })
    mails.push(i === 0 ? { ...mail, id: Id } : mail)
  }
  return {
    answer: json(200, { Id, Status: 'Accepted', SubmittedAt: call.now.toISOString() }),
    mails,
  }
}

const CODES: Codes<number> = {
  missing_key: [401, 10],
  invalid_key: [401, 10],
  unverified: [422, 400],
  full: [422, 405],
  too_large: [413, 300],
  malformed: [422, 402],
}

const codeOfRefusal = (refusal: Refusal) =>
  codeOf(refusal, CODES, (status) => STATUS_CODES[status] ?? 0)

const refusalFields = (refusal: Refusal) => ({
  ErrorCode: codeOfRefusal(refusal)[1],
  Message: refusal.message,
})

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
    { method: 'POST', path: '/email/bulk', run: sendBulk },
    ...messageRoutes,
    ...templateRoutes,
  ],
  refuse: (refusal) => {
    const [status] = codeOfRefusal(refusal)
    // An error code of its own, which has no status of its own.
    return json(status === 406 ? 422 : status, refusalFields(refusal))
  },
}

function tooLarge(): never {
  throw reject(300, 'The message may have up to 10 MB, attachments included.', 413)
}
