// The API of Mailtrap: sending, in bulk and to its sandbox, whose number is not read.

import { z } from 'zod'
import {
  files,
  filledTexts,
  itemsOf,
  mailOf,
  partsOf,
  people,
  person,
  resultOf,
  text,
  texts,
  variables,
} from './mail-fields.ts'
import {
  type Call,
  json,
  jsonRoutes,
  type Provider,
  Rejected,
  type Route,
  templatesOf,
} from './provider.ts'
import { bearerOf, checkBody, type Problem, parseJson, readJson } from './read-body.ts'

const RECIPIENTS_MAX = 1_000
const BATCH_MAX = 500
const CATEGORY_LENGTH_MAX = 255
const VARIABLES_BYTES_MAX = 1_000

const mailSchema = z.strictObject({
  ...{ from: person, to: people, cc: people, bcc: people, reply_to: person.nullish() },
  ...texts('subject', 'text', 'html', 'category', 'template_uuid'),
  ...{ custom_variables: variables, headers: variables },
  template_variables: variables,
  attachments: files,
})

const batchSchema = z.strictObject({
  base: z.record(z.string(), z.unknown()).nullish(),
  requests: z.array(z.record(z.string(), z.unknown())),
})

const templateSchema = z.looseObject({
  email_template: z.strictObject({
    ...{ name: z.string(), subject: z.string(), category: text, body_text: text, body_html: text },
  }),
})

type Mail = z.output<typeof mailSchema>
type Template = z.output<typeof templateSchema>['email_template']

const errorOf = (status: number, error: string) => json(status, { success: false, errors: [error] })

const reject = (message: string, status = 400) => new Rejected(errorOf(status, message), message)

const invalid = ({ kind, field }: Problem) => {
  if (kind === 'json' || field === '') return reject('Request body is not a valid JSON object')
  return reject(kind === 'missing' ? `'${field}' is required` : `'${field}' is invalid`)
}

const parts = partsOf({
  address: (field) => reject(`'${field.replace(/\.email$/, '')}' address is invalid`),
  file: (_field, name) => reject(`'attachments' content of ${name} must be Base64-encoded`),
  header: () => reject("'headers' must be custom headers, each on one line"),
})

const templates = templatesOf<Template>({
  missing: (id, { baseUrl }) => {
    const create = `create it with POST ${baseUrl}api/accounts/1/email_templates`
    return reject(`'template_uuid' ${id} is not found; ${create}`)
  },
  full: () => reject('The account has as many templates as it may have', 422),
})

const readMail = (call: Call, value: unknown): Mail =>
  checkBody(call, { schema: mailSchema, value, onInvalid: invalid })

async function composeOne(call: Call, mail: Mail) {
  const template = mail.template_uuid
    ? (await templates.get(call, mail.template_uuid)).content
    : null
  const { to, cc, bcc } = parts.recipients(mail)
  const from = parts.box(mail.from, 'from')
  for (const [name, list] of Object.entries({ to, cc, bcc })) {
    if (list.length > RECIPIENTS_MAX)
      throw reject(`'${name}' may have up to ${RECIPIENTS_MAX} addresses`)
  }
  if (to.length + cc.length + bcc.length === 0) {
    throw reject("'to', 'cc' or 'bcc' must have at least one address")
  }
  checkFields(mail, template)
  const texts =
    template === null
      ? { subject: mail.subject, text: mail.text, html: mail.html }
      : await filledTexts(
          { subject: template.subject, text: template.body_text, html: template.body_html },
          mail.template_variables ?? {},
          { reject },
        )
  const id = call.work.uuid()
  const replyTo = mail.reply_to ? [parts.box(mail.reply_to, 'reply_to')] : []
  const outgoing = await mailOf(call, {
    ...{ id, messageId: `${id}@mailtrap.io`, from, to, cc, bcc, replyTo },
    ...texts,
    files: (mail.attachments ?? []).map((one) => parts.file(one, 'attachments')),
    headers: parts.headers(mail.headers),
    tags: mail.category ? [mail.category] : [],
    metadata: mail.custom_variables,
  })
  // A real recipient has an id of its own; in the sandbox a mail has one.
  const isSandbox = call.params['inbox'] !== undefined
  const more = isSandbox ? [] : [...to, ...cc, ...bcc].slice(1).map(() => call.work.uuid())
  return { mails: [outgoing], accepted: { success: true, message_ids: [id, ...more] } }
}

function checkFields(mail: Mail, template: Template | null): void {
  if (template !== null) {
    if (mail.subject || mail.text || mail.html) {
      throw reject("'subject', 'text' and 'html' are not allowed with 'template_uuid'")
    }
    return
  }
  if (!mail.subject) throw reject("'subject' is required")
  if (!mail.text && !mail.html) throw reject("'text' or 'html' must be specified")
  if ((mail.category ?? '').length > CATEGORY_LENGTH_MAX) {
    throw reject(`'category' may have up to ${CATEGORY_LENGTH_MAX} characters`)
  }
  if (Buffer.byteLength(JSON.stringify(mail.custom_variables ?? {})) > VARIABLES_BYTES_MAX) {
    throw reject(`'custom_variables' may have up to ${VARIABLES_BYTES_MAX} bytes`)
  }
}

const sends: readonly Route[] = ['/api/send', '/api/send/:inbox'].map((path) => ({
  ...{ method: 'POST', path, operation: 'POST /api/send' },
  run: async (call) => {
    const { mails, accepted } = await composeOne(call, readMail(call, parseJson(call, invalid)))
    return { answer: json(200, accepted), mails }
  },
}))

const batches: readonly Route[] = ['/api/batch', '/api/batch/:inbox'].map((path) => ({
  ...{ method: 'POST', path, operation: 'POST /api/batch' },
  run: async (call) => {
    const { base, requests } = readJson(call, batchSchema, invalid)
    if (requests.length === 0) throw reject("'requests' must not be empty")
    if (requests.length > BATCH_MAX) throw reject(`'requests' may have up to ${BATCH_MAX} messages`)
    return {
      items: await itemsOf(requests, (one) =>
        composeOne(call, readMail(call, { ...base, ...one })),
      ),
    }
  },
  join: (results) => {
    const responses = results.map((one) =>
      resultOf(one, ({ message }) => ({ success: false, errors: [message] })),
    )
    return json(200, { success: true, responses })
  },
}))

const presented = ({ id, createdAt, content }: Awaited<ReturnType<typeof templates.get>>) => ({
  ...{ id: Number.parseInt(id.slice(0, 7), 16), uuid: id, ...content },
  created_at: new Date(createdAt),
})

/** Mailtrap. */
export const mailtrap: Provider = {
  name: 'mailtrap',
  hosts: ['send.api.mailtrap.io', 'bulk.api.mailtrap.io', 'sandbox.api.mailtrap.io', 'mailtrap.io'],
  bodyBytesMax: 25 * 1024 * 1024,
  key: (headers) => bearerOf(headers) ?? headers['api-token'] ?? null,
  routes: [
    ...sends,
    ...batches,
    ...jsonRoutes({
      'GET /api/accounts': () => [{ id: 1, name: 'Mayfly', access_levels: [1_000] }],
      'POST /api/accounts/:account/email_templates 201': async (call) => {
        const { email_template: content } = readJson(call, templateSchema, invalid)
        const id = call.work.uuid()
        return presented(await templates.put(call, { id, alias: id, content }))
      },
      'GET /api/accounts/:account/email_templates': async (call) =>
        (await templates.list(call)).map(presented),
    }),
  ],
  refuse: ({ why, status, message }) => {
    if (why === 'missing_key' || why === 'invalid_key')
      return errorOf(401, `Unauthorized: ${message}`)
    return errorOf(why === 'full' ? 403 : status, message)
  },
}
