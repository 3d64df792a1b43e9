/** An email address in lower case, without quotes. */
export interface EmailAddress {
  readonly localPart: string
  readonly domain: string
}

/** Octets of a local part and of a domain (RFC 5321, 4.5.3.1). */
const LOCAL_PART_MAX = 64
const DOMAIN_MAX = 255

/** Characters of an unquoted local part: atext, the dot, and everything above ASCII (RFC 6531). */
const UNQUOTED = /^[\w.!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+$/u

/**
 * Parses `local@domain` into the form in which addresses are compared; null if it is invalid.
 *
 * Local parts are compared case-insensitively, and a non-ASCII domain by its ASCII form.
 */
export function readEmailAddress(text: string): EmailAddress | null {
  const at = text.lastIndexOf('@')
  if (at <= 0 || at === text.length - 1) return null
  const localPart = readLocalPart(text.slice(0, at))
  const domain = asciiDomain(text.slice(at + 1))
  return localPart === null || domain === null ? null : { localPart, domain }
}

/** The normalised text of an address. */
export function emailAddressText(address: EmailAddress): string {
  return `${address.localPart}@${address.domain}`
}

/** `local` of `local+tag`: both reach the same inbox. */
export function withoutTag(localPart: string): string {
  const plus = localPart.indexOf('+')
  return plus > 0 ? localPart.slice(0, plus) : localPart
}

/** The address of the inbox that a given address reaches: normalised, without a tag. */
export function inboxAddress(given: string): string | null {
  const address = readEmailAddress(given)
  if (address === null) return null
  return emailAddressText({ ...address, localPart: withoutTag(address.localPart) })
}

function readLocalPart(text: string): string | null {
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"')
  const bare = isQuoted ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text
  if (bare.length === 0 || Buffer.byteLength(bare) > LOCAL_PART_MAX) return null
  if (isQuoted) return /[\0-\x1f\x7f]/.test(bare) ? null : bare.toLowerCase()
  return UNQUOTED.test(bare) ? bare.toLowerCase() : null
}

/** The domain in lower-case ASCII, without a trailing dot; an address literal has its brackets. */
function asciiDomain(text: string): string | null {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  if (bare.length === 0 || bare.length > DOMAIN_MAX) return null
  if (/^\[[\da-f.:]+\]$|^\[ipv6:[\da-f.:]+\]$/i.test(bare)) return bare.toLowerCase()
  const ascii = /^[\0-\x7f]*$/.test(bare) ? bare.toLowerCase() : punycode(bare)
  if (ascii === null || ascii.length > DOMAIN_MAX) return null
  const isDomain = /^(?!-)[a-z\d_-]{1,63}(?<!-)(?:\.(?!-)[a-z\d_-]{1,63}(?<!-))*$/.test(ascii)
  return isDomain ? ascii : null
}

function punycode(domain: string): string | null {
  // The URL parser maps domain names by UTS 46; characters with a meaning in URLs are excluded.
  if (/[\s/?#@:\\[\]%]/.test(domain)) return null
  try {
    return new URL(`http://${domain}/`).hostname
  } catch {
    return null
  }
}
