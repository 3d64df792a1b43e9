import { domainToASCII } from 'node:url'
import { ServiceError } from '../../errors.ts'

/** The label of the TXT record that proves ownership. */
export const CHALLENGE_LABEL = '_mayfly-challenge'

/** Longest name by RFC 1035, with room for the challenge label before it. */
const LENGTH_MAX = 253 - CHALLENGE_LABEL.length - 1

/** At least two labels; the last is not a number, which would make it an IP address. */
const NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Characters that `domainToASCII` would read as parts of a URL. */
const NOT_A_NAME = /[^A-Za-z0-9.\-\u{80}-\u{10ffff}]/u

/** A domain in lower case and ASCII, without a final dot; null when the text is not one. */
export function asciiDomain(text: string): string | null {
  const name = text.trim().replace(/\.$/, '')
  const ascii = NOT_A_NAME.test(name) ? '' : domainToASCII(name)
  return ascii.length <= LENGTH_MAX && NAME.test(ascii) ? ascii : null
}

/** The domain, when a caller may claim it: not the operator's, and not a public suffix. */
export async function claimableDomain(
  text: string,
  operatorDomains: readonly string[],
): Promise<string> {
  const domain = asciiDomain(text)
  if (domain === null) throw refused('must be a domain name such as qa.example.com')
  if (operatorDomains.some((own) => domain === own || domain.endsWith(`.${own}`))) {
    throw refused(`${domain} belongs to this service`)
  }
  // Loaded when first needed: its list is large, and most services have no custom domain.
  const { getPublicSuffix } = await import('tldts')
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) {
    throw refused(`${domain} is a public suffix, under which others register their domains`)
  }
  return domain
}

const refused = (rule: string) =>
  new ServiceError('invalid_parameter', { message: `domain: ${rule}` })
