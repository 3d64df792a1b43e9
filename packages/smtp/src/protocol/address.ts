/** RFC 5321 4.5.3.1, in bytes; a path counts its angle brackets. */
const LOCAL_BYTES_MAX = 64
const DOMAIN_BYTES_MAX = 255
const PATH_BYTES_MAX = 256
const LABEL_LENGTH_MAX = 63

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+"
const DOT_STRING = new RegExp(`${ATOM}(?:\\.${ATOM})*`, 'uy')
const QUOTED_STRING = /"(?:[^"\\\t]|\\[^\t])*"/uy
// Underscores are no part of a host name, yet senders have them.
const DOMAIN = /[A-Za-z0-9_.\u0080-\u{10ffff}-]+|\[[A-Za-z0-9.:-]+\]/uy
const SOURCE_ROUTE = /@[^\s,:@<>]+(?:,@[^\s,:@<>]+)*:/y

/**
 * Characters that nobody sees, or that turn the text around them: an address with one looks
 * like another address. Joiners (U+200C, U+200D) stay: some scripts need them.
 */
const DECEPTIVE = /[\u0080-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/u

const NON_ASCII = /[^\x00-\x7f]/

/** An address between angle brackets, and what follows it. */
export type Path = {
  /** Empty for the null sender. Quotes are undone where they are not needed. */
  readonly address: string
  readonly isAscii: boolean
  readonly rest: string
}

/** What may stand between the brackets. */
export type PathKind = 'sender' | 'recipient'

/** Reads `<address>` at the start of `text`; null when it is not one. */
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
  if (!fits(address, domain, kind) || (!isAscii && DECEPTIVE.test(address))) return null
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

/**
 * Return paths that carry the recipient in them (VERP) are longer than 64 before the `@` in
 * real life, and RFC 5321 means its 64 as the least to support. Our own inboxes never are.
 */
function fits(address: string, domain: string, kind: PathKind): boolean {
  const addressBytes = Buffer.byteLength(address)
  const domainBytes = Buffer.byteLength(domain)
  if (domainBytes > DOMAIN_BYTES_MAX || addressBytes + 2 > PATH_BYTES_MAX) return false
  return kind === 'sender' || addressBytes - 1 - domainBytes <= LOCAL_BYTES_MAX
}

/** `"a.b"` and `a.b` are the same mailbox, as are `"a\b"` and `ab`. */
function canonicalLocal(local: string): string {
  if (local[0] !== '"') return local
  const plain = local.slice(1, -1).replace(/\\(.)/gu, '$1')
  if (match(DOT_STRING, plain, 0) === plain) return plain
  return `"${plain.replace(/["\\]/g, '\\$&')}"`
}
