// Mails from the fields of a body, which differ between providers in their names alone.

import { z } from 'zod'
import {
  compose,
  headerFields,
  type Mailbox,
  type MailFile,
  type MailHeader,
  readBase64,
  withOwnHeaders,
} from './compose.ts'
import {
  type Answer,
  type Call,
  type Item,
  type ItemResult,
  type OutgoingMail,
  type Refusal,
  Rejected,
  safeHeaders,
} from './provider.ts'
import { addressesOf, isAddress, type OnInvalid, readMailboxes } from './read-body.ts'
import { renderHandlebars, TemplateFailed } from './templates.ts'

/** A text that may be left out. */
export const text = z.string().nullish()

/** Fields that are such texts. */
export function texts<Name extends string>(...names: readonly Name[]) {
  // The names are those of the argument.
  return Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>
}

/** A text, or several. */
export const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]).nullish()

/** Values of variables, of any kind. */
export const variables = z.record(z.string(), z.unknown()).nullish()

/** An address in JSON. */
export const person = z.strictObject({ email: z.string(), name: text })

/** Addresses in JSON. */
export const people = z.array(person).nullish()

/** Where a file is shown. */
export const disposition = z.enum(['attachment', 'inline']).nullish()

/** Files in JSON, as several APIs have them. */
export const files = z
  .array(
    z.strictObject({
      ...{ content: z.string(), filename: z.string(), type: text, content_id: text },
      disposition,
    }),
  )
  .nullish()

type Person = z.output<typeof person>
type File = Omit<NonNullable<z.output<typeof files>>[number], 'type' | 'content_id'> & {
  readonly type?: Given
  readonly content_id?: Given
}
type Given = string | null | undefined

/** A mail, before it is composed. */
type MailFields = {
  readonly id: string
  /** Without angle brackets. */
  readonly messageId: string
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly bcc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  /** Who gets it, where these are not all of the above. */
  readonly recipients?: readonly string[]
  readonly subject?: Given
  readonly text?: Given
  readonly html?: Given
  readonly amp?: Given
  readonly headers?: readonly MailHeader[]
  readonly files?: readonly MailFile[]
  readonly tags?: readonly string[] | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
  /** A time that has passed is now. */
  readonly at?: Date | null
  /** Whether an address stands for a result, so that it needs no inbox. */
  readonly isResult?: (address: string) => boolean
  readonly batch?: string | null | undefined
}

/** Composes a mail of its fields. */
export async function mailOf(call: Call, mail: MailFields): Promise<OutgoingMail> {
  const { id, from, to, cc = [], bcc = [], tags, at = null, isResult } = mail
  const subject = mail.subject ?? ''
  const metadata = Object.entries(mail.metadata ?? {}).map(([name, value]) => [name, flat(value)])
  const recipients = mail.recipients ?? addressesOf(to, cc, bcc)
  return {
    ...{ id, subject, recipients, mailFrom: from.address, tags: tags ?? [] },
    raw: await compose(call, { ...mail, subject, date: call.now }),
    metadata: Object.fromEntries(metadata),
    scheduledAt: later(at, call.now),
    ...(isResult === undefined ? {} : { mayBeLoose: recipients.every(isResult) }),
    ...(mail.batch ? { batch: mail.batch } : {}),
  }
}

const flat = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

const later = (at: Date | null, now: Date) => (at !== null && at > now ? at.toISOString() : null)

/** A mail that the caller has composed, with the values of its headers. */
export function readHead(bytes: Buffer) {
  const fields = headerFields(bytes)
  const all = (name: string) =>
    fields.filter((field) => field.name.toLowerCase() === name).map(({ value }) => value)
  return { bytes, fields, all, first: (name: string) => all(name)[0] }
}

type RawFields = Pick<OutgoingMail, 'id' | 'mailFrom' | 'recipients'> &
  Partial<Pick<OutgoingMail, 'tags' | 'metadata'>> & {
    /** Without angle brackets; null keeps that of the mail. */
    readonly messageId: string | null
    /** Null keeps that of the mail. */
    readonly date?: Date | null
    readonly at?: Date | null
    readonly added?: readonly MailHeader[]
    /** Headers in lower case, beside those for blind copies. */
    readonly removed?: readonly string[]
  }

/** A mail that the caller has composed, with headers of the provider. */
export function rawMailOf(
  call: Call,
  { bytes, first }: ReturnType<typeof readHead>,
  mail: RawFields,
): OutgoingMail {
  const { messageId, date = call.now, at = null, added = [], removed = [], ...own } = mail
  const raw = withOwnHeaders(bytes, {
    ...{ mailFrom: own.mailFrom, messageId, date, added },
    removed: ['bcc', 'return-path', ...removed],
  })
  call.countMail(raw.length)
  const subject = first('subject') ?? ''
  return { tags: [], metadata: {}, ...own, raw, subject, scheduledAt: later(at, call.now) }
}

/** The errors of a provider for what is wrong with a mail. */
type MailErrors = {
  readonly address: (field: string, value: string) => Error
  readonly file: (field: string, name: string, isEmpty: boolean) => Error
  /** `name` is that of a header that callers must not set; null where one is unsafe. */
  readonly header: (field: string, name: string | null) => Error
  /** In lower case, in place of `OWN`. */
  readonly reserved?: ReadonlySet<string>
  /** Whether it accepts empty files. */
  readonly hasEmptyFiles?: boolean
}

/** Reads the parts of a mail, and rejects the call with the errors of its provider. */
export function partsOf(errors: MailErrors) {
  const box = ({ email, name }: Person, field: string): Mailbox => {
    if (!isAddress(email)) throw errors.address(`${field}.email`, email.slice(0, QUOTED_MAX))
    return { name: name ?? '', address: email }
  }
  const bytes = (base64: string, field: string, name: string): Buffer => {
    const content = readBase64(base64)
    const isEmpty = content !== null && content.length === 0
    if (content === null || (isEmpty && !errors.hasEmptyFiles))
      throw errors.file(field, name, isEmpty)
    return content
  }
  const boxes = (given: readonly Person[] | null | undefined, field: string) =>
    (given ?? []).map((one, i) => box(one, `${field}.${i}`))
  return {
    ...{ box, boxes, bytes },
    recipients: ({ to, cc, bcc }: Recipients) => ({
      ...{ to: boxes(to, 'to'), cc: boxes(cc, 'cc'), bcc: boxes(bcc, 'bcc') },
    }),
    /** Addresses of texts such as `Ada <a@example.com>, b@example.com`. */
    mailboxes: (given: Given | readonly string[], field: string) =>
      (typeof given === 'string' ? [given] : (given ?? [])).flatMap((one) => {
        const found = readMailboxes(one)
        if (found === null) throw errors.address(field, one)
        return found
      }),
    file: (
      { content, filename, type, content_id, disposition }: File,
      field: string,
    ): MailFile => ({
      ...{ filename, content: bytes(content, field, filename), inline: disposition === 'inline' },
      ...{ contentType: type || undefined, contentId: content_id || undefined },
    }),
    headers: (given: GivenHeaders, field = 'headers') => {
      const pairs = isPairs(given) ? given : Object.entries(given ?? {})
      const own = pairs.map(([name, value]) => [name, flat(value)] as const)
      const headers = safeHeaders(own)
      if (headers === null) throw errors.header(field, null)
      const reserved = headers.find(({ name }) => (errors.reserved ?? OWN).has(name.toLowerCase()))
      if (reserved !== undefined) throw errors.header(field, reserved.name)
      return headers
    },
  }
}

type Recipients = { readonly [list in 'to' | 'cc' | 'bcc']?: readonly Person[] | null | undefined }
type Pairs = readonly (readonly [name: string, value: unknown])[]
type GivenHeaders = Readonly<Record<string, unknown>> | Pairs | null | undefined

const isPairs = (given: GivenHeaders): given is Pairs => Array.isArray(given)

/** Characters of a caller's text in an error. */
const QUOTED_MAX = 100

/** Headers that the fields of a mail decide. */
const OWN = new Set([
  ...['from', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'reply-to', 'return-path'],
  ...['content-type', 'content-transfer-encoding', 'mime-version', 'received', 'dkim-signature'],
])

/** Reads each item of a list; one that is rejected leaves the others as they are. */
export async function itemsOf<One>(
  list: readonly One[],
  read: (one: One, index: number) => Promise<Extract<Item, { accepted: unknown }>>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  for (const [i, one] of list.entries()) {
    try {
      items.push(await read(one, i))
    } catch (error) {
      if (!(error instanceof Rejected)) throw error
      items.push({ rejected: bodyOf(error.answer), reason: error.message })
    }
  }
  return items
}

/** The JSON of an answer; null without one. */
export const bodyOf = ({ body }: Answer) => (body !== null && 'json' in body ? body.json : null)

/** The result of one item, for the answer to a list. */
export function resultOf(one: ItemResult, ofRefusal: (refusal: Refusal) => unknown): unknown {
  if ('refusal' in one) return ofRefusal(one.refusal)
  return 'rejected' in one ? one.rejected : one.accepted
}

type Filling = {
  readonly reject: (why: string) => Error
  /** Handlebars by default. */
  readonly render?: typeof renderHandlebars
  readonly isStrict?: boolean
}

/** A text with the values of its variables; the error of the provider when that fails. */
async function filled(
  template: Given,
  data: unknown,
  { reject, render = renderHandlebars, ...options }: Filling & { readonly isHtml: boolean },
): Promise<string | null> {
  if (!template) return null
  return render(template, data, options).catch((error: unknown) => {
    throw error instanceof TemplateFailed ? reject(error.message) : error
  })
}

/** The texts of a mail with the values of their variables. */
export async function filledTexts(
  { subject, text: plain, html }: { readonly [name in 'subject' | 'text' | 'html']?: Given },
  data: unknown,
  filling: Filling,
) {
  return {
    subject: await filled(subject, data, { ...filling, isHtml: false }),
    text: await filled(plain, data, { ...filling, isHtml: false }),
    html: await filled(html, data, { ...filling, isHtml: true }),
  }
}

/** A time that a caller names, at most some hours from now; null for any other. */
export function readTime(given: string | number, now: Date, hoursMax: number): Date | null {
  const at = new Date(given)
  const isKept = at.getTime() - now.getTime() <= hoursMax * 60 * 60 * 1000
  return isKept ? at : null
}

/** `onInvalid` for APIs whose errors distinguish a missing field from a wrong one. */
export function invalidBody(
  reject: (kind: 'json' | 'missing' | 'wrong', field: string) => Rejected,
): OnInvalid {
  return ({ kind, field }) =>
    reject(kind === 'json' || field === '' ? 'json' : kind === 'missing' ? kind : 'wrong', field)
}
