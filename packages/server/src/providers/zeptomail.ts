// The API of ZeptoMail: /v1.1.

import { z } from 'zod'
import type { Mailbox } from './compose.ts'
import { filledTexts, mailOf, partsOf, text, texts, variables } from './mail-fields.ts'
import {
  type Call,
  type Codes,
  codeOf,
  json,
  jsonRoutes,
  type OutgoingMail,
  type Provider,
  type Refusal,
  Rejected,
  type Route,
  templatesOf,
} from './provider.ts'
import { type Problem, readJson } from './read-body.ts'

const RECIPIENTS_MAX = 500

const person = z.strictObject({ address: z.string(), name: text })
const people = z.array(z.strictObject({ email_address: person, merge_info: variables })).nullish()

const mailSchema = z.strictObject({
  ...texts('subject', 'textbody', 'htmlbody', 'client_reference', 'bounce_address'),
  ...texts('template_key', 'template_alias', 'mail_template_key'),
  ...{ from: person, to: people, cc: people, bcc: people },
  reply_to: z.union([z.array(person), person.transform((one) => [one])]).nullish(),
  ...{ merge_info: variables, mime_headers: variables },
  ...{ track_clicks: z.boolean().nullish(), track_opens: z.boolean().nullish() },
  attachments: z
    .array(z.strictObject({ ...texts('content', 'mime_type', 'file_cache_key'), name: z.string() }))
    .nullish(),
  inline_images: z
    .array(z.strictObject({ ...texts('content', 'mime_type', 'file_cache_key'), cid: z.string() }))
    .nullish(),
})

const templateSchema = z.strictObject({
  ...texts('template_name', 'template_alias', 'subject', 'htmlbody', 'textbody'),
  sample_merge_info: variables,
})

type Mail = z.output<typeof mailSchema>
type Template = z.output<typeof templateSchema>

type Kind = readonly [code: string, subCode: string, status: number]
const MISSING: Kind = ['TM_3201', 'GE_102', 400]
const WRONG: Kind = ['TM_3301', 'SM_101', 400]
const UNKNOWN: Kind = ['TM_3501', 'MTR_101', 400]

const errorOf = ([code, own, status]: Kind, message: string, target = '') =>
  json(status, { error: { code, message, details: [{ code: own, message, target }] } })

const reject = (kind: Kind, message: string, target = '') =>
  new Rejected(errorOf(kind, message, target), message)

const missing = (field: string) => reject(MISSING, `Mandatory field "${field}" is missing.`, field)

const invalid = ({ kind, field }: Problem) => {
  if (kind === 'json' || field === '') return reject(WRONG, 'Invalid JSON.')
  return kind === 'missing' ? missing(field) : reject(WRONG, `Invalid value of ${field}.`, field)
}

const parts = partsOf({
  address: (field, value) => reject(WRONG, `Invalid email address: ${value}`, field),
  file: (field, name) => reject(WRONG, `The content of ${name} is not valid base64.`, field),
  header: (field) => reject(WRONG, `${field} must be custom headers, each on one line.`, field),
})

const templates = templatesOf<Template>({
  missing: (key, { baseUrl }) => {
    const create = `create it with POST ${baseUrl}v1.1/mailagents/ALIAS/templates`
    return reject(UNKNOWN, `Invalid Template Key: ${key}; ${create}`, 'template_key')
  },
  full: () => reject(UNKNOWN, 'The account has as many templates as it may have.'),
})

const boxes = (list: Mail['to'], field: string) =>
  (list ?? []).map((one) => boxOf(one.email_address, field))

const boxOf = ({ address: email, name }: z.output<typeof person>, field: string): Mailbox =>
  parts.box({ email, name }, field)

const received = (request_id: string) => {
  const data = [{ code: 'EM_104', additional_info: [], message: 'Email request received' }]
  return json(201, { data, message: 'OK', request_id, object: 'email' })
}

/** In a batch each recipient gets a mail alone, with values of its own. */
const send = (isTemplate: boolean, isBatch: boolean) => async (call: Call) => {
  const mail = readJson(call, mailSchema, invalid)
  const texts = await textsOf(call, mail, isTemplate)
  const lists = {
    to: boxes(mail.to, 'to'),
    cc: boxes(mail.cc, 'cc'),
    bcc: boxes(mail.bcc, 'bcc'),
  }
  const count = lists.to.length + lists.cc.length + lists.bcc.length
  if (count === 0) throw reject(MISSING, 'No recipient field found.', 'to')
  if (count > RECIPIENTS_MAX) throw reject(WRONG, `At most ${RECIPIENTS_MAX} recipients.`, 'to')
  const id = call.work.uuid().replaceAll('-', '')
  const shared = { from: boxOf(mail.from, 'from'), files: readFiles(mail) }
  const compose = async (to: readonly Mailbox[], own: string, values: object) =>
    mailOf(call, {
      ...{ ...shared, ...lists, to, id: own, messageId: `${own}@zeptomail.com` },
      ...(isTemplate || isBatch
        ? await filledTexts(texts, values, { reject: (why) => reject(WRONG, why, 'merge_info') })
        : texts),
      replyTo: (mail.reply_to ?? []).map((one) => boxOf(one, 'reply_to')),
      headers: parts.headers(mail.mime_headers, 'mime_headers'),
      metadata: mail.client_reference ? { client_reference: mail.client_reference } : {},
    })
  if (!isBatch)
    return { answer: received(id), mails: [await compose(lists.to, id, mail.merge_info ?? {})] }
  const mails: OutgoingMail[] = []
  for (const [i, box] of lists.to.entries()) {
    const values = { ...mail.merge_info, ...mail.to?.[i]?.merge_info }
    mails.push(await compose([box], i === 0 ? id : `${id}.${i}`, values))
  }
  return { answer: received(id), mails }
}

async function textsOf(call: Call, mail: Mail, isTemplate: boolean) {
  if (!isTemplate) {
    if (!mail.subject) throw missing('subject')
    if (!mail.textbody && !mail.htmlbody) throw missing('htmlbody')
    return { subject: mail.subject, text: mail.textbody, html: mail.htmlbody }
  }
  const key = mail.template_key || mail.mail_template_key || mail.template_alias
  if (!key) throw missing('Mail Template Key')
  const { subject, textbody, htmlbody } = (await templates.get(call, key)).content
  return { subject, text: textbody, html: htmlbody }
}

function readFiles({ attachments, inline_images }: Mail) {
  const read = (one: { readonly content?: string | null | undefined }, field: string) => {
    if (one.content) return one.content
    throw reject(UNKNOWN, 'A file needs its content: there is no file cache here.', field)
  }
  return [
    ...(attachments ?? []).map((one) =>
      parts.file(
        { filename: one.name, type: one.mime_type, content: read(one, 'attachments') },
        'attachments',
      ),
    ),
    ...(inline_images ?? []).map((one) => {
      const inline = { content_id: one.cid, disposition: 'inline' } as const
      const content = read(one, 'inline_images')
      return parts.file(
        { filename: one.cid, type: one.mime_type, content, ...inline },
        'inline_images',
      )
    }),
  ]
}

const presented = ({ id, createdAt, content }: Awaited<ReturnType<typeof templates.get>>) => ({
  ...{ ...content, template_key: id, created_time: new Date(createdAt).toISOString() },
})

const ofTemplate = (data: unknown) => ({ data, message: 'OK', object: 'template' })

const saveTemplate = (isNew: boolean) => async (call: Call) => {
  const old = isNew ? null : await templates.get(call)
  const content = { ...old?.content, ...readJson(call, templateSchema, invalid) }
  if (!content.template_name) throw missing('template_name')
  if (!content.subject) throw missing('subject')
  const id = old?.id ?? call.work.uuid()
  const alias = content.template_alias || id
  return ofTemplate(presented(await templates.put(call, { ...old, id, alias, content })))
}

const post = (path: string, run: Route['run']): Route => ({ method: 'POST', path, run })

const DENIED: readonly [string, string] = ['TM_4001', 'SERR_157']

const CODES: Codes<readonly [string, string]> = {
  missing_key: [401, DENIED],
  invalid_key: [401, DENIED],
  unverified: [403, ['TM_4001', 'SM_111']],
  full: [403, ['TM_3601', 'SMI_115']],
}

function refuse(refusal: Refusal) {
  const [status, [code, own]] = codeOf(refusal, CODES, () => ['TM_8001', 'GE_101'] as const)
  return errorOf([code, own, status], refusal.message)
}

/** ZeptoMail. */
export const zeptomail: Provider = {
  name: 'zeptomail',
  hosts: ['api.zeptomail.com', 'api.zeptomail.eu', 'api.zeptomail.in'],
  bodyBytesMax: 28 * 1024 * 1024,
  key: ({ authorization }) => /^Zoho-enczapikey +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null,
  routes: [
    post('/v1.1/email', send(false, false)),
    post('/v1.1/email/batch', send(false, true)),
    post('/v1.1/email/template', send(true, false)),
    post('/v1.1/email/template/batch', send(true, true)),
    ...jsonRoutes({
      'POST /v1.1/mailagents/:agent/templates 201': saveTemplate(true),
      'PUT /v1.1/mailagents/:agent/templates/:id': saveTemplate(false),
      'GET /v1.1/mailagents/:agent/templates': async (call) =>
        ofTemplate((await templates.list(call)).map(presented)),
      'GET /v1.1/mailagents/:agent/templates/:id': async (call) =>
        ofTemplate(presented(await templates.get(call))),
      'DELETE /v1.1/mailagents/:agent/templates/:id': async (call) =>
        void (await templates.remove(call)),
    }),
  ],
  refuse,
}
