// The arguments of MAIL and RCPT: an address between angle brackets, then parameters.

import type { ReplyCode } from './replies.ts'

/**
 * RFC 5321 4.5.3.1, in bytes; a path counts its angle brackets. A local part may have more than
 * the 64 bytes that every server must support: return paths that contain the recipient (VERP) do,
 * and the address of an inbox with a tag.
 */
const DOMAIN_BYTES_MAX = 255
const PATH_BYTES_MAX = 256
const LABEL_LENGTH_MAX = 63

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+"
const DOT_STRING = new RegExp(`${ATOM}(?:\\.${ATOM})*`, 'uy')
const QUOTED_STRING = /"(?:[^"\\\t]|\\[^\t])*"/uy
// Underscores are not allowed in host names, but some senders use them.
const DOMAIN = /[A-Za-z0-9_.\u0080-\u{10ffff}-]+|\[[A-Za-z0-9.:-]+\]/uy
const SOURCE_ROUTE = /@[^\s,:@<>]+(?:,@[^\s,:@<>]+)*:/y

/**
 * Invisible characters, and characters that change the text direction: an address that contains
 * one looks like another address. Joiners (U+200C, U+200D) are allowed: some scripts need them.
 */
const DECEPTIVE = /[\u0080-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/u

const NON_ASCII = /[^\x00-\x7f]/

/** The values of MAIL FROM. */
export type Sender = {
  /** Empty for the null sender. */
  readonly address: string
  /** The value of the SIZE parameter, or null. */
  readonly declaredSizeBytes: number | null
  readonly smtpUtf8: boolean
}

/** The limits of the parameters of MAIL. */
export type SenderRules = {
  readonly messageBytesMax: number
  /** EHLO was sent. After HELO no parameters exist. */
  readonly isExtended: boolean
  readonly isAuthOffered: boolean
}

/** A value, or the reply that refuses it. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reply: ReplyCode }

/** Parses the argument of MAIL: `FROM:<address> [parameters]`. */
export function parseSender(text: string, rules: SenderRules): Parsed<Sender> {
  const path = pathAfter(text, 'FROM:', 'sender')
  if (path === null) return invalid('badSender')
  const parameters = parseParameters(path.rest)
  if (parameters === null) return invalid('badParameter')
  let declaredSizeBytes: number | null = null
  for (const [name, value] of parameters) {
    const reply = checkParameter(name, value, rules)
    if (reply !== null) return invalid(reply)
    if (name === 'SIZE') declaredSizeBytes = Number(value)
  }
  const smtpUtf8 = parameters.has('SMTPUTF8')
  if (!path.isAscii && !smtpUtf8) return invalid('needsUtf8')
  return { ok: true, value: { address: path.address, declaredSizeBytes, smtpUtf8 } }
}

/** Parses the argument of RCPT: `TO:<address>`; no parameter is supported. */
export function parseRecipient(text: string, smtpUtf8: boolean): Parsed<string> {
  const path = pathAfter(text, 'TO:', 'recipient')
  if (path === null) return invalid('badRecipient')
  if (path.rest !== '') return invalid('unknownParameter')
  if (!path.isAscii && !smtpUtf8) return invalid('needsUtf8')
  return { ok: true, value: path.address }
}

function invalid(reply: ReplyCode): { readonly ok: false; readonly reply: ReplyCode } {
  return { ok: false, reply }
}

function pathAfter(text: string, keyword: string, kind: PathKind): Path | null {
  if (text.slice(0, keyword.length).toUpperCase() !== keyword) return null
  // Many clients send a space after the colon, which RFC 5321 does not allow.
  const path = parsePath(text.slice(keyword.length).trimStart(), kind)
  return path !== null && /^(?:[ \t]|$)/.test(path.rest) ? path : null
}

/** Null when a parameter is given twice or has no valid name. */
function parseParameters(text: string): ReadonlyMap<string, string | null> | null {
  const parameters = new Map<string, string | null>()
  for (const word of text.split(/[ \t]+/)) {
    if (word === '') continue
    const match = /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([^=\s]+))?$/.exec(word)
    const name = match?.[1]?.toUpperCase()
    if (name === undefined || parameters.has(name)) return null
    parameters.set(name, match?.[2] ?? null)
  }
  return parameters
}

/** The reply that refuses this parameter, or null. */
function checkParameter(name: string, value: string | null, rules: SenderRules): ReplyCode | null {
  if (!rules.isExtended) return 'unknownParameter'
  switch (name) {
    case 'SIZE':
      if (value === null || !/^\d{1,20}$/.test(value)) return 'badParameter'
      return Number(value) > rules.messageBytesMax ? 'tooLarge' : null
    case 'BODY':
      return /^(?:7BIT|8BITMIME)$/i.test(value ?? '') ? null : 'badParameter'
    case 'SMTPUTF8':
      return value === null ? null : 'badParameter'
    case 'AUTH':
      if (!rules.isAuthOffered) return 'unknownParameter'
      return value === null ? 'badParameter' : null
    default:
      return 'unknownParameter'
  }
}

/** An address between angle brackets, and the text after it. */
type Path = {
  /** Empty for the null sender. Unneeded quotes are removed. */
  readonly address: string
  readonly isAscii: boolean
  readonly rest: string
}

type PathKind = 'sender' | 'recipient'

/** Parses the `<address>` at the start of `text`; null when it is invalid. */
export function parsePath(text: string, kind: PathKind): Path | null {
  if (text.startsWith('<>')) {
    return kind === 'sender' ? { address: '', isAscii: true, rest: text.slice(2) } : null
  }
  if (kind === 'recipient' && /^<postmaster>/i.test(text)) {
    return { address: 'postmaster', isAscii: true, rest: text.slice(12) }
  }
  if (text[0] !== '<') return null
  const start = 1 + (match(SOURCE_ROUTE, text, 1)?.length ?? 0)
  const local = match(text[start] === '"' ? QUOTED_STRING : DOT_STRING, text, start)
  if (local === null) return null
  const at = start + local.length
  const domain = match(DOMAIN, text, at + 1)
  if (domain === null || text[at] !== '@') return null
  const end = at + 1 + domain.length
  if (text[end] !== '>' || !isDomain(domain)) return null
  const address = `${canonicalLocal(local)}@${domain}`
  const isAscii = !NON_ASCII.test(address)
  if (!fits(address, domain) || (!isAscii && DECEPTIVE.test(address))) return null
  return { address, isAscii, rest: text.slice(end + 1) }
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

function isDomain(domain: string): boolean {
  if (domain[0] === '[') return true
  return domain
    .split('.')
    .every(
      (label) =>
        label !== '' &&
        label.length <= LABEL_LENGTH_MAX &&
        !label.startsWith('-') &&
        !label.endsWith('-'),
    )
}

function fits(address: string, domain: string): boolean {
  return (
    Buffer.byteLength(domain) <= DOMAIN_BYTES_MAX &&
    Buffer.byteLength(address) + 2 <= PATH_BYTES_MAX
  )
}

/** `"a.b"` and `a.b` are the same mailbox, as are `"a\b"` and `ab`. */
function canonicalLocal(local: string): string {
  if (local[0] !== '"') return local
  const plain = local.slice(1, -1).replace(/\\(.)/gu, '$1')
  if (match(DOT_STRING, plain, 0) === plain) return plain
  return `"${plain.replace(/["\\]/g, '\\$&')}"`
}
