// The API of Mailgun: forms, urlencoded or multipart.

import type { Mailbox } from './compose.ts'
import { filledTexts, mailOf, partsOf, rawMailOf, readHead, readTime } from './mail-fields.ts'
import { type Form, first, readForm, readingRoutes, reject, templates } from './mailgun-calls.ts'
import {
  type Answer,
  type Call,
  json,
  type OutgoingMail,
  type Provider,
  rateHeadersOf,
} from './provider.ts'
import { addressesOf, fieldsOf, parsedOrNull, passwordOf, readMailboxes } from './read-body.ts'

const RECIPIENTS_MAX = 1_000
const TAGS_MAX = 10
const OPTIONS_BYTES_MAX = 16 * 1024
const SCHEDULED_DAYS_MAX = 7

const parts = partsOf({
  address: (field) =>
    reject(`'${field}' parameter is not a valid address. please check documentation`),
  file: (field) => reject(`'${field}' parameter is not a valid file`),
  header: () => reject("an 'h:' parameter is not a valid header"),
  reserved: new Set(),
})

const mailboxes = (form: Form, name: string) => parts.mailboxes(form.texts(name), name)

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
  const at = time === undefined ? null : readTime(time, call.now, SCHEDULED_DAYS_MAX * 24)
  if (time !== undefined && at === null) {
    throw reject(
      `'o:deliverytime' parameter must be a date of RFC 2822, at most ${SCHEDULED_DAYS_MAX} days in the future.`,
    )
  }
  const metadata = Object.fromEntries(variables)
  const own = tags.map((value) => ({ name: 'X-Mailgun-Tag', value }))
  const named = { name: 'X-Mailgun-Variables', value: JSON.stringify(metadata) }
  return {
    ...{ tags, metadata, at, own: variables.length === 0 ? own : [...own, named] },
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
  const messageId = newId(call)
  const { own, ...shared } = { ...options, ...headersOf(form), from, cc, bcc, messageId }
  const files = [...form.files('attachment'), ...form.files('inline')]
  const composeFor = (
    boxes: readonly Mailbox[],
    index: number,
    values: Readonly<Record<string, string>> | null,
  ) => {
    const fill = (text: string | undefined) => (values === null ? text : filled(text, values))
    return mailOf(call, {
      ...{ ...shared, to: boxes, files, subject: fill(texts.subject) },
      ...{ text: fill(texts.text), html: fill(texts.html), amp: fill(texts.amp) },
      id: index === 0 ? `<${messageId}>` : `<${messageId}>;${index}`,
      headers: [
        ...shared.headers.map(({ name, value }) => ({ name, value: fill(value) ?? '' })),
        ...own,
      ],
    })
  }
  const variables = recipientVariables(form)
  if (variables === null) return queued(messageId, options, [await composeFor(to, 0, null)])
  const mails: OutgoingMail[] = []
  for (const [index, box] of to.entries()) {
    const values = variables.get(box.address.toLowerCase()) ?? {}
    mails.push(await composeFor([box], index, { ...values, '': box.address }))
  }
  return queued(messageId, options, mails)
}

/** Headers that the fields of a message decide. */
const OWN = /^(?:reply-to|x-mailgun-variables|message-id|date|from|to|cc|bcc|subject)$/i

function headersOf(form: Form) {
  const given = parts.headers(form.prefixed('h:'))
  const replyTo = given
    .filter(({ name }) => name.toLowerCase() === 'reply-to')
    .flatMap(({ value }) => readMailboxes(value) ?? [])
  return { replyTo, headers: given.filter(({ name }) => !OWN.test(name)) }
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
  const subject = given.subject ? null : version.headers['Subject']
  const own = await filledTexts({ subject, html: version.template }, data, {
    reject: (why) => reject(`template '${name}' cannot be rendered: ${why}`),
  })
  const html = own.html ?? ''
  const text = first(form, 't:text') === 'yes' ? html.replaceAll(/<[^>]{0,1000}>/g, '') : given.text
  return { ...given, html, text, subject: own.subject ?? given.subject }
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
  const head = readHead(bytes)
  const mailFrom = readMailboxes(head.first('from') ?? '')?.[0]?.address ?? ''
  if (mailFrom === '')
    throw reject("'from' parameter is not a valid address. please check documentation")
  const own = head.first('message-id')?.replace(/^<|>$/g, '')
  const id = own || newId(call)
  const mail = rawMailOf(call, head, {
    ...{ ...options, id: `<${id}>`, mailFrom, recipients: addressesOf(to), added: options.own },
    messageId: own ? null : id,
    date: head.first('date') === undefined ? call.now : null,
  })
  return queued(id, options, [mail])
}

const forbidden: Answer = {
  status: 401,
  body: { text: 'Forbidden', type: 'text/plain; charset=utf-8' },
}

/** Mailgun. */
export const mailgun: Provider = {
  name: 'mailgun',
  hosts: ['api.mailgun.net', 'api.eu.mailgun.net'],
  bodyBytesMax: 26 * 1024 * 1024,
  key: passwordOf,
  routes: [
    { method: 'POST', path: '/v3/:domain/messages', run: sendMessage },
    { method: 'POST', path: '/v3/:domain/messages.mime', run: sendMime },
    ...readingRoutes,
  ],
  refuse: ({ why, status, message }) => {
    if (why === 'missing_key' || why === 'invalid_key') return forbidden
    return json(why === 'unverified' ? 403 : why === 'full' ? 402 : status, { message })
  },
  rateHeaders: rateHeadersOf('x-ratelimit', ({ resetAt }) => resetAt * 1000),
}
