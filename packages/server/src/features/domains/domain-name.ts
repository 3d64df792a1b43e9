import { domainToASCII } from 'node:url'
import { ServiceError } from '../../errors.ts'

/** What an owner's proof is published under, before the domain. */
export const CHALLENGE_LABEL = '_mayfly-challenge'

/** A name by RFC 1035 that still leaves room for the challenge before it. */
const LENGTH_MAX = 253 - CHALLENGE_LABEL.length - 1

/** At least two labels; the last is no number, which would be an address. */
const NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** What the function below would take for the parts of a URL around a name. */
const NO_NAME = /[^A-Za-z0-9.\-\u{80}-\u{10ffff}]/u

/** A domain as DNS knows it: lower case, IDN as ASCII, no dot at its end. Null when it is none. */
export function asciiDomain(text: string): string | null {
  const name = text.trim().replace(/\.$/, '')
  const ascii = NO_NAME.test(name) ? '' : domainToASCII(name)
  return ascii.length <= LENGTH_MAX && NAME.test(ascii) ? ascii : null
}

/** The domain that a caller may claim: a whole name, nobody's registry and not the operator's. */
export async function claimableDomain(
  text: string,
  operatorsNames: readonly string[],
): Promise<string> {
  const domain = asciiDomain(text)
  if (domain === null) throw refused('must be a domain name such as qa.example.com')
  if (operatorsNames.some((own) => domain === own || domain.endsWith(`.${own}`))) {
    throw refused(`${domain} belongs to this service`)
  }
  // Loaded when first needed: its list is long, and most services never see a custom domain.
  const { getPublicSuffix } = await import('tldts')
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) {
    throw refused(`${domain} is a public suffix, under which others register their domains`)
  }
  return domain
}

const refused = (rule: string) =>
  new ServiceError('invalid_parameter', { message: `domain: ${rule}` })
