// The language of searches. A query is a list of terms, all of which must hold:
//
//   word  "a phrase"                 in sender, subject, recipients, file names, text, visible HTML
//   from:  to:  cc:  bcc:  reply-to:  addressed:  subject:  message-id:     part of it
//   header:NAME  header:NAME=value   there is such a header; its value contains this
//   has:attachment  has:inline  has:html  has:otp  has:link
//   is:read  is:unread  is:tagged    tag:name
//   otp:any  otp:481516              there is a one-time code; it is this one
//   link:host                        a link to this host, or to a host below it
//   after:  before:                  received at or after; received before
//   larger:  smaller:                than 500, 20K, 1.5M
//   in:INBOX                         the id or the address of an inbox
//
// Words and phrases are compared without case, accents and the punctuation < > " , ; ( ).
//
// A minus or an exclamation mark before a term negates it. A value with spaces is put in double
// quotes. It contains Mailpit's language. There are no expressions and no parentheses: every term
// takes time that is linear in the size of a mail, and their number is bounded.

import { QUERY_TERMS_MAX } from '../limits.ts'
import { contains } from '../text/contains.ts'
import { foldText, foldWords } from './fold-text.ts'
import type { AddressField, QueriedMail, QueriedSummary } from './queried-mail.ts'
import { hostOf, readInstant, readSizeBytes } from './query-values.ts'

/** What a term asks of a mail. */
type Condition = (
  | {
      /** Can be answered without the content of the mail. */
      readonly reads: 'summary'
      readonly holds: (summary: QueriedSummary) => boolean
    }
  | { readonly reads: 'content'; readonly holds: (mail: QueriedMail) => boolean }
) & {
  /** Set when the answer can change after the mail has arrived. */
  readonly changes?: true
}

/** One term of a query. */
export type QueryTerm = Condition & {
  /** As it was written. */
  readonly source: string
  readonly isNegated: boolean
  /** A folded text in every mail for which the condition holds; null if there is none. */
  readonly containedText: string | null
}

/** A parsed query. */
export type Query = {
  readonly terms: readonly QueryTerm[]
  /** What is wrong with terms that were left out, for a person. */
  readonly problems: readonly string[]
}

type Meaning = Condition & { readonly containedText?: string }
/** The meaning of a value, or a sentence about what it must be. */
type ReadValue = (value: string) => Meaning | string

/** Parses a query. Terms that are invalid are left out and named in `problems`. */
export function parseQuery(text: string): Query {
  const terms: QueryTerm[] = []
  const problems: string[] = []
  for (const { source, isQuoted, value } of words(text)) {
    const isNegated = !isQuoted && /^[-!]/.test(value)
    const meaning = readTerm(isNegated ? value.slice(1) : value, isQuoted)
    if (meaning === null) continue
    if (typeof meaning === 'string') problems.push(`${source.replace(/:$/, '')}: ${meaning}`)
    else terms.push({ containedText: null, ...meaning, source, isNegated })
  }
  if (terms.length > QUERY_TERMS_MAX) {
    problems.push(`has more than ${QUERY_TERMS_MAX} terms`)
    terms.length = QUERY_TERMS_MAX
  }
  return { terms, problems }
}

type Word = {
  readonly source: string
  /** Whether it begins with a quote: a phrase, whatever is in it. */
  readonly isQuoted: boolean
  /** Without quotes. */
  readonly value: string
}

/** The words between spaces outside of quotes; a quote that is not closed ends with the text. */
function words(text: string): Word[] {
  const sources = text.match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? []
  return sources.map((source) => ({
    source,
    isQuoted: source.startsWith('"'),
    value: source.replaceAll('"', ''),
  }))
}

/** The meaning of a term, or what is wrong with it; null for one that asks nothing. */
function readTerm(term: string, isQuoted: boolean): Meaning | string | null {
  const colon = isQuoted ? -1 : term.indexOf(':')
  const read = colon === -1 ? undefined : FILTERS.get(term.slice(0, colon).toLowerCase())
  if (read === undefined) {
    // Punctuation alone is in no text, and must not be taken for a search of everything.
    const folded = foldWords(term) || foldText(term)
    return folded === '' ? null : textTerm(folded)
  }
  const value = term.slice(colon + 1).trim()
  return value === '' ? 'needs a value' : read(value)
}

function textTerm(folded: string): Meaning {
  return { reads: 'content', holds: (mail) => mail.contains(folded), containedText: folded }
}

function addressFilter(...fields: readonly AddressField[]): ReadValue {
  return (value) => {
    const folded = foldText(value)
    return {
      reads: 'content',
      holds: (mail) => fields.some((field) => contains(mail.addresses(field), folded)),
      containedText: folded,
    }
  }
}

function instantFilter(isWithin: (receivedAt: number, instant: number) => boolean): ReadValue {
  return (value) => {
    const instant = readInstant(value)
    if (instant === null) return 'needs a date such as 2026-11-15 or 2026-11-15T09:30Z'
    return { reads: 'summary', holds: ({ receivedAt }) => isWithin(receivedAt, instant) }
  }
}

function sizeFilter(isWithin: (sizeBytes: number, bound: number) => boolean): ReadValue {
  return (value) => {
    const bound = readSizeBytes(value)
    if (bound === null) return 'needs a size such as 500, 20K or 1.5M'
    return { reads: 'summary', holds: ({ sizeBytes }) => isWithin(sizeBytes, bound) }
  }
}

function oneOf(meanings: Readonly<Record<string, Meaning>>): ReadValue {
  const names = Object.keys(meanings)
  const byName = new Map(Object.entries(meanings))
  return (value) => {
    const name = value.toLowerCase()
    return byName.get(name) ?? byName.get(name.replace(/s$/, '')) ?? `must be ${names.join(', ')}`
  }
}

const HAS_OTP: Meaning = { reads: 'summary', holds: ({ otp }) => otp !== null }

function readSubject(value: string): Meaning {
  const folded = foldText(value)
  return {
    reads: 'summary',
    holds: ({ subject }) => contains(foldText(subject ?? ''), folded),
    containedText: folded,
  }
}

function readHeader(text: string): Meaning | string {
  const [, name, value] = /^([\x21-\x39\x3b\x3c\x3e-\x7e]+)(?:=(.*))?$/s.exec(text) ?? []
  if (name === undefined) return 'needs the name of a header, such as header:List-Id=news'
  const folded = foldText(value ?? '')
  const lower = name.toLowerCase()
  return {
    reads: 'content',
    holds: (mail) => mail.headers(lower).some((header) => contains(header, folded)),
  }
}

function readMessageId(value: string): Meaning {
  const folded = foldText(value.replace(/[<>]/g, ''))
  return {
    reads: 'content',
    holds: (mail) => mail.headers('message-id').some((id) => contains(id, folded)),
  }
}

function readLink(value: string): Meaning {
  const host = hostOf(value) ?? value.toLowerCase()
  return {
    reads: 'content',
    holds: ({ content }) =>
      content.links.some(({ url }) => {
        const linked = hostOf(url)
        return linked === host || linked?.endsWith(`.${host}`) === true
      }),
  }
}

function readTag(value: string): Meaning {
  const tag = foldText(value)
  return { reads: 'content', changes: true, holds: (mail) => mail.tags().includes(tag) }
}

function readOtp(value: string): Meaning {
  if (value.toLowerCase() === 'any') return HAS_OTP
  return { reads: 'summary', holds: ({ otp }) => otp?.toLowerCase() === value.toLowerCase() }
}

function readInbox(value: string): Meaning {
  const inbox = value.toLowerCase()
  return { reads: 'summary', holds: ({ inbox: { id, address } }) => [id, address].includes(inbox) }
}

const FILTERS: ReadonlyMap<string, ReadValue> = new Map(
  Object.entries({
    from: addressFilter('from'),
    to: addressFilter('to'),
    cc: addressFilter('cc'),
    bcc: addressFilter('bcc'),
    'reply-to': addressFilter('reply-to'),
    addressed: addressFilter('from', 'to', 'cc', 'bcc', 'reply-to'),
    subject: readSubject,
    'message-id': readMessageId,
    header: readHeader,
    has: oneOf({
      attachment: { reads: 'summary', holds: ({ hasAttachments }) => hasAttachments },
      inline: {
        reads: 'content',
        holds: ({ content }) => content.attachments.some(({ inline }) => inline),
      },
      html: { reads: 'content', holds: ({ content }) => content.html !== null },
      otp: HAS_OTP,
      link: { reads: 'content', holds: ({ content }) => content.links.length > 0 },
    }),
    is: oneOf({
      read: { reads: 'summary', changes: true, holds: ({ isRead }) => isRead },
      unread: { reads: 'summary', changes: true, holds: ({ isRead }) => !isRead },
      tagged: { reads: 'content', changes: true, holds: (mail) => mail.tags().length > 0 },
    }),
    tag: readTag,
    otp: readOtp,
    link: readLink,
    after: instantFilter((receivedAt, instant) => receivedAt >= instant),
    before: instantFilter((receivedAt, instant) => receivedAt < instant),
    larger: sizeFilter((sizeBytes, bound) => sizeBytes > bound),
    smaller: sizeFilter((sizeBytes, bound) => sizeBytes < bound),
    in: readInbox,
  }),
)
