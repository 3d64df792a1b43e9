// Mail of Amazon SES, for both versions of its API (ses-v1.ts, ses-v2.ts).

import type { Mailbox, MailFile, MailHeader } from './compose.ts'
import { filledTexts, mailOf, partsOf, rawMailOf, readHead } from './mail-fields.ts'
import type { Call, OutgoingMail, Refusal } from './provider.ts'
import { addressesOf, parsedOrNull, taggedHeaders } from './read-body.ts'
import { regionOf } from './sigv4.ts'

/** A request is refused; each version writes it in its own form. */
export class SesError extends Error {
  readonly code: SesCode
  readonly status: number

  constructor(code: SesCode, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

type SesCode =
  | 'InvalidParameterValue'
  | 'MessageRejected'
  | 'TemplateDoesNotExist'
  | 'AlreadyExists'
  | 'LimitExceeded'
  | 'InvalidTemplate'
  | 'MissingRenderingAttribute'
  | 'InvalidRenderingParameter'

/** Rejects a parameter. */
export const invalid = (message: string) => new SesError('InvalidParameterValue', message)

/** Reads the parts of a mail. */
export const parts = partsOf({
  address: (_field, value) =>
    invalid(
      value.includes('@') ? `Invalid address: ${value.slice(0, 200)}` : "Missing final '@domain'",
    ),
  file: (_field, name) => invalid(`The attachment ${name} is not valid base64.`),
  header: () => invalid('Headers: names and values must be on one line.'),
  ...{ hasEmptyFiles: true, reserved: new Set<string>() },
})

const boxes = (given: readonly string[]) => parts.mailboxes(given, '')

const RECIPIENTS_MAX = 50

/** Recipients, as texts that may have names. */
type Destination = {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
}

/** The parts of a mail that both versions have. */
export type SesMail = {
  readonly from: string | null
  /** Null: those of the headers of a raw mail. */
  readonly destination: Destination | null
  readonly replyTo: readonly string[]
  readonly tags: Readonly<Record<string, string>>
  readonly configurationSet?: string | null | undefined
}

/** Texts of a mail. */
export type Content = {
  readonly subject: string
  readonly text?: string | null | undefined
  readonly html?: string | null | undefined
  readonly headers?: readonly MailHeader[]
  readonly files?: readonly MailFile[]
}

/** A mail of which SES composes the bytes. */
export async function composeSes(
  call: Call,
  mail: SesMail,
  content: Content,
): Promise<OutgoingMail> {
  const from = boxes(mail.from === null ? [] : [mail.from])[0]
  if (from === undefined) throw invalid("Missing required header 'From'.")
  const lists = listsOf(mail.destination)
  const { id, messageId, added } = identity(call, mail)
  const { headers = [], ...own } = content
  const named = taggedHeaders(Object.fromEntries(headers.map(({ name, value }) => [name, value])))
  return mailOf(call, {
    ...{ ...own, ...lists, from, id, messageId, tags: named.tags, isResult },
    headers: [...headers, ...added],
    replyTo: boxes(mail.replyTo),
    metadata: { ...named.metadata, ...mail.tags },
  })
}

/** A mail that the caller has composed: with Message-ID and Date of SES, and without Bcc. */
export function composeRaw(call: Call, mail: SesMail, bytes: Buffer): OutgoingMail {
  const head = readHead(bytes)
  const { all, fields } = head
  const [from] = boxes(mail.from === null ? all('from') : [mail.from])
  if (from === undefined) throw invalid("Missing required header 'From'.")
  const { to, cc, bcc } = listsOf(
    mail.destination ?? { to: all('to'), cc: all('cc'), bcc: all('bcc') },
  )
  const recipients = addressesOf(to, cc, bcc)
  const { id, messageId, added } = identity(call, mail)
  const named = taggedHeaders(Object.fromEntries(fields.map(({ name, value }) => [name, value])))
  const tags = messageTags(all('x-ses-message-tags').join(','))
  const composed = rawMailOf(call, head, {
    ...{ id, messageId, recipients, added, mailFrom: from.address, tags: named.tags },
    metadata: { ...named.metadata, ...tags, ...mail.tags },
    removed: ['x-ses-configuration-set', 'x-ses-message-tags'],
  })
  return { ...composed, mayBeLoose: recipients.every(isResult) }
}

function messageTags(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/[,;]/).map((pair) => pair.split('=').map((part) => part.trim()))
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name && value ? [[name, value]] : [])),
  )
}

function identity(call: Call, { configurationSet }: SesMail) {
  const time = call.now.getTime().toString(16).padStart(12, '0')
  const id = `0100${time}-${call.work.uuid()}-000000`
  const region = regionOf(call.headers)
  const domain = region === 'us-east-1' ? 'email' : region
  const added = [
    {
      name: 'X-SES-Outgoing',
      value: `${call.now.toISOString().slice(0, 10).replaceAll('-', '.')}-127.0.0.1`,
    },
    ...(configurationSet ? [{ name: 'X-SES-Configuration-Set', value: configurationSet }] : []),
  ]
  return { id, messageId: `${id}@${domain}.amazonses.com`, added }
}

type Lists = {
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
}

function listsOf(destination: Destination | null): Lists {
  const { to, cc, bcc } = destination ?? { to: [], cc: [], bcc: [] }
  const lists = { to: boxes(to), cc: boxes(cc), bcc: boxes(bcc) }
  const count = lists.to.length + lists.cc.length + lists.bcc.length
  if (count === 0) throw invalid('At least one recipient is required.')
  if (count > RECIPIENTS_MAX) throw invalid(`Recipient count exceeds ${RECIPIENTS_MAX}.`)
  return lists
}

/** The simulator's addresses need no inbox. */
const SIMULATOR = /@simulator\.amazonses\.com$/i

const isResult = (address: string) => SIMULATOR.test(address)

/** A template: stored, or given in the call. */
export type SesTemplate = {
  readonly subject: string
  readonly text?: string | null | undefined
  readonly html?: string | null | undefined
}

/** The stored template of a name. */
export async function findTemplate(call: Call, name: string): Promise<SesTemplate> {
  const found = await call.work.templates.find(name)
  // Written by `putTemplate`.
  if (found !== null) return found.content as SesTemplate
  throw new SesError('TemplateDoesNotExist', `Template ${name.slice(0, 100)} does not exist.`, 404)
}

/** Stores a template under its name. */
export async function putTemplate(
  call: Call,
  { name, isNew, ...content }: SesTemplate & { readonly name: string; readonly isNew: boolean },
): Promise<void> {
  if (!/^[\w-]{1,64}$/.test(name))
    throw new SesError(
      'InvalidTemplate',
      'A template needs a name of up to 64 letters, digits, dashes and underscores.',
    )
  if (!content.text && !content.html)
    throw new SesError('InvalidTemplate', 'A template needs a text part, an HTML part or both.')
  const found = await call.work.templates.find(name)
  if (isNew && found !== null)
    throw new SesError('AlreadyExists', `Template ${name} already exists.`)
  if (!isNew && found === null)
    throw new SesError('TemplateDoesNotExist', `Template ${name} does not exist.`, 404)
  const template = {
    id: name,
    alias: name,
    createdAt: found?.createdAt ?? call.now.getTime(),
    content,
  }
  if (await call.work.templates.put(template)) return
  throw new SesError('LimitExceeded', 'The account has as many templates as it may have.')
}

/** The names of all templates, newest first. */
export async function listTemplates(call: Call) {
  const found = await call.work.templates.list()
  return found.map(({ id, createdAt }) => ({ name: id, createdAt }))
}

async function renderTemplate(template: SesTemplate, dataJson: string): Promise<Content> {
  const data = dataJson === '' ? {} : parsedOrNull(dataJson)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new SesError('InvalidRenderingParameter', 'The template data must be a JSON object.')
  }
  const rendered = await filledTexts(template, data, {
    isStrict: true,
    reject: (why) => new SesError('MissingRenderingAttribute', why),
  })
  return { ...rendered, subject: rendered.subject ?? '' }
}

/** The same as text, for the calls that test a template. */
export async function renderedText(template: SesTemplate, dataJson: string): Promise<string> {
  const { subject, text, html } = await renderTemplate(template, dataJson)
  return `Subject: ${subject}\r\n\r\n${text ?? ''}\r\n\r\n${html ?? ''}`
}

/**
 * A mail of a template. Where that cannot be rendered, SES accepts the call and sends nothing: the
 * failure shows in the diagnostics.
 */
export async function composeTemplated(
  call: Call,
  mail: SesMail,
  {
    template,
    data,
    extra = {},
  }: { readonly template: SesTemplate; readonly data: string; readonly extra?: Partial<Content> },
): Promise<{
  readonly id: string
  readonly mails: readonly OutgoingMail[]
  readonly failure?: string
}> {
  // Before rendering: an invalid address is refused at once.
  listsOf(mail.destination)
  try {
    const composed = await composeSes(call, mail, {
      ...(await renderTemplate(template, data)),
      ...extra,
    })
    return { id: composed.id, mails: [composed] }
  } catch (failed) {
    if (!(failed instanceof SesError) || failed.code !== 'MissingRenderingAttribute') throw failed
    return {
      id: identity(call, mail).id,
      mails: [],
      failure: `the template could not be rendered: ${failed.message}`,
    }
  }
}

/** The quota of an account that has none. */
export const QUOTA = { max24HourSend: 50_000, maxSendRate: 500 }

/** The own text of a refusal. */
export const refusalText = ({ why, message }: Refusal) =>
  why === 'unverified' ? `Email address is not verified. ${message}` : message
