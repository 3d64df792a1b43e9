// Mails from the fields of a JSON body, which differ between providers in their names alone.

import { z } from 'zod'
import { compose, type Mailbox, type MailFile, type MailHeader, readBase64 } from './compose.ts'
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
import { addressesOf, isAddress, type OnInvalid } from './read-body.ts'
import { renderHandlebars, TemplateFailed } from './templates.ts'

/** A text that may be left out. */
export const text = z.string().nullish()

/** Values of variables, of any kind. */
export const variables = z.record(z.string(), z.unknown()).nullish()

/** An address in JSON. */
export const person = z.strictObject({ email: z.string(), name: text })

/** Addresses in JSON. */
export const people = z.array(person).nullish()

type Person = z.output<typeof person>

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
  readonly subject?: string | null | undefined
  readonly text?: string | null | undefined
  readonly html?: string | null | undefined
  readonly amp?: string | null | undefined
  readonly headers?: readonly MailHeader[]
  readonly files?: readonly MailFile[]
  readonly tags?: readonly string[] | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
  /** A time that has passed is now. */
  readonly at?: Date | null
}

/** Composes a mail of its fields. */
export async function mailOf(call: Call, mail: MailFields): Promise<OutgoingMail> {
  const { id, from, to, cc = [], bcc = [], tags, at = null } = mail
  const subject = mail.subject ?? ''
  const metadata = Object.entries(mail.metadata ?? {}).map(([name, value]) => [name, flat(value)])
  return {
    ...{ id, subject, mailFrom: from.address, tags: tags ?? [] },
    raw: await compose(call, { ...mail, subject, date: call.now }),
    recipients: mail.recipients ?? addressesOf(to, cc, bcc),
    metadata: Object.fromEntries(metadata),
    scheduledAt: at !== null && at > call.now ? at.toISOString() : null,
  }
}

const flat = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** The errors of a provider for what is wrong with a mail. */
export type MailErrors = {
  readonly address: (field: string, value: string) => Rejected
  readonly file: (field: string, name: string) => Rejected
  readonly header: (field: string) => Rejected
}

/** Reads the parts of a mail, and rejects the call with the errors of its provider. */
export function partsOf(errors: MailErrors) {
  const box = ({ email, name }: Person, field: string): Mailbox => {
    if (!isAddress(email)) throw errors.address(`${field}.email`, email.slice(0, QUOTED_MAX))
    return { name: name ?? '', address: email }
  }
  return {
    box,
    boxes: (list: readonly Person[] | null | undefined, field: string) =>
      (list ?? []).map((one, i) => box(one, `${field}.${i}`)),
    bytes: (base64: string, field: string, name: string): Buffer => {
      const content = readBase64(base64)
      if (content === null || content.length === 0) throw errors.file(field, name)
      return content
    },
    headers: (given: Readonly<Record<string, unknown>> | null | undefined, field = 'headers') => {
      const texts = Object.entries(given ?? {}).map(([name, own]) => [name, flat(own)] as const)
      const headers = safeHeaders(texts)
      if (headers === null || headers.some(({ name }) => OWN.has(name.toLowerCase()))) {
        throw errors.header(field)
      }
      return headers
    },
  }
}

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

const bodyOf = ({ body }: Answer) => (body !== null && 'json' in body ? body.json : null)

/** The result of one item, for the answer to a list. */
export function resultOf(one: ItemResult, ofRefusal: (refusal: Refusal) => unknown): unknown {
  if ('refusal' in one) return ofRefusal(one.refusal)
  return 'rejected' in one ? one.rejected : one.accepted
}

/** A text with the values of its `{{name}}`; the error of the provider when that fails. */
export async function filled(
  template: string | null | undefined,
  data: unknown,
  options: { readonly isHtml: boolean; readonly reject: (why: string) => Rejected },
): Promise<string | null> {
  if (!template) return null
  return renderHandlebars(template, data, options).catch((error: unknown) => {
    throw error instanceof TemplateFailed ? options.reject(error.message) : error
  })
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
