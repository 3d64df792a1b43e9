// Errors of Postmark's API, its templates, and the messages that it has sent.

import { z } from 'zod'
import { texts } from './mail-fields.ts'
import { type Call, json, jsonRoutes, numericId, Rejected, templatesOf } from './provider.ts'
import { type Problem, readJson } from './read-body.ts'

/** Rejects a call with an error code of Postmark. */
export const reject = (ErrorCode: number, Message: string, status = 422) =>
  new Rejected(json(status, { ErrorCode, Message }), Message)

/** Rejects a body that the schema does not accept. */
export function problem({ kind, field }: Problem): Rejected {
  if (kind === 'json') return reject(402, 'Received invalid JSON input.')
  return reject(403, `The JSON is incompatible: '${field}' is missing or of the wrong type.`)
}

const templateSchema = z.strictObject({
  ...texts('Name', 'Alias', 'Subject', 'HtmlBody', 'TextBody', 'LayoutTemplate'),
  TemplateType: z.enum(['Standard', 'Layout']).nullish(),
})

/** A template. */
export type Template = z.output<typeof templateSchema>

/** The templates of an account. */
export const templates = templatesOf<Template>({
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
  const id = old?.id ?? numericId(call)
  const other = content.Alias ? await templates.find(call, content.Alias) : null
  if (other !== null && other.id !== id) {
    throw reject(1125, `The alias '${content.Alias}' is used by another template.`)
  }
  const saved = await templates.put(call, { ...old, id, alias: content.Alias || id, content })
  const { Subject: _, HtmlBody: __, TextBody: ___, ...shown } = presented(saved)
  return shown
}

/** The calls for templates. */
export const templateRoutes = jsonRoutes({
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

/** The calls for messages that were sent, and for the account. */
export const messageRoutes = jsonRoutes({
  'GET /messages/outbound': listMessages,
  'GET /messages/outbound/:id/details': details,
  'GET /messages/outbound/:id/dump': async (call) => ({
    Body: await rawText(await getMessage(call)),
  }),
  'GET /email/bulk/:id': async (call) => {
    const { call: sent, createdAt, subject } = await getMessage(call)
    // A body that `/email/bulk` accepted.
    const { Messages = [] } = (sent.request ?? {}) as { readonly Messages?: readonly unknown[] }
    return {
      ...{ Id: sent.id, SubmittedAt: createdAt, TotalMessages: Messages.length },
      ...{ PercentageCompleted: 100, Status: 'Completed', Subject: subject },
    }
  },
  'GET /message-streams/:id/suppressions/dump': () => ({ Suppressions: [] }),
  'GET /bounces': () => ({ TotalCount: 0, Bounces: [] }),
  'GET /deliverystats': () => ({ InactiveMails: 0, Bounces: [] }),
  'GET /server': () => ({ ID: 1, Name: 'Mayfly', Color: 'green', DeliveryType: 'Sandbox' }),
})
