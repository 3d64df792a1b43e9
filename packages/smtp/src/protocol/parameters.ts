import { type PathKind, parsePath } from './address.ts'
import { REPLIES } from './replies.ts'

/** What MAIL FROM said. */
export type Sender = {
  /** Empty for the null sender. */
  readonly address: string
  /** The size that the client declared, or null. */
  readonly declaredSizeBytes: number | null
  readonly smtpUtf8: boolean
}

/** What MAIL is judged by. */
export type SenderRules = {
  readonly messageBytesMax: number
  /** HELO was said, not EHLO: no parameters exist. */
  readonly isExtended: boolean
  readonly isAuthOffered: boolean
}

/** A value, or the reply that says what is wrong with it. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reply: string }

/** Reads all of MAIL behind its verb: `FROM:<address> [parameters]`. */
export function parseSender(text: string, rules: SenderRules): Parsed<Sender> {
  const path = pathAfter(text, 'FROM:', 'sender')
  if (path === null) return wrong(REPLIES.badSender)
  const parameters = parseParameters(path.rest)
  if (parameters === null) return wrong(REPLIES.badParameter)
  let declaredSizeBytes: number | null = null
  for (const [name, value] of parameters) {
    const reply = judge(name, value, rules)
    if (reply !== null) return wrong(reply)
    if (name === 'SIZE') declaredSizeBytes = Number(value)
  }
  const smtpUtf8 = parameters.has('SMTPUTF8')
  if (!path.isAscii && !smtpUtf8) return wrong(REPLIES.needsUtf8)
  return { ok: true, value: { address: path.address, declaredSizeBytes, smtpUtf8 } }
}

/** Reads all of RCPT behind its verb: `TO:<address>`; no parameter is offered. */
export function parseRecipient(text: string, smtpUtf8: boolean): Parsed<string> {
  const path = pathAfter(text, 'TO:', 'recipient')
  if (path === null) return wrong(REPLIES.badRecipient)
  if (path.rest !== '') return wrong(REPLIES.unknownParameter)
  if (!path.isAscii && !smtpUtf8) return wrong(REPLIES.needsUtf8)
  return { ok: true, value: path.address }
}

/** One chunk of a mail that comes by BDAT. */
export type Chunk = { readonly sizeBytes: number; readonly isLast: boolean }

/** Reads all of BDAT behind its verb: `size [LAST]`. */
export function parseChunk(text: string): Chunk | null {
  const match = /^(\d{1,15})( LAST)?$/i.exec(text)
  return match === null ? null : { sizeBytes: Number(match[1]), isLast: match[2] !== undefined }
}

function pathAfter(text: string, keyword: string, kind: PathKind) {
  if (text.slice(0, keyword.length).toUpperCase() !== keyword) return null
  // A blank behind the colon is wrong, and common.
  const path = parsePath(text.slice(keyword.length).trimStart(), kind)
  return path !== null && /^(?:[ \t]|$)/.test(path.rest) ? path : null
}

/** Null when one is given twice or is no parameter. */
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
function judge(name: string, value: string | null, rules: SenderRules): string | null {
  if (!rules.isExtended) return REPLIES.unknownParameter
  switch (name) {
    case 'SIZE':
      if (value === null || !/^\d{1,20}$/.test(value)) return REPLIES.badParameter
      return Number(value) > rules.messageBytesMax ? REPLIES.tooLarge : null
    case 'BODY':
      return /^(?:7BIT|8BITMIME)$/i.test(value ?? '') ? null : REPLIES.badParameter
    case 'SMTPUTF8':
      return value === null ? null : REPLIES.badParameter
    case 'AUTH':
      if (!rules.isAuthOffered) return REPLIES.unknownParameter
      return value === null ? REPLIES.badParameter : null
    default:
      return REPLIES.unknownParameter
  }
}

function wrong(reply: string): { readonly ok: false; readonly reply: string } {
  return { ok: false, reply }
}
