import { isIP } from 'node:net'
import { type AddressRules, isAllowedAddress } from './address-rules.ts'
import { OutboundError } from './outbound-error.ts'

/** The target of one request: every address in it is allowed. */
export type Target = {
  readonly url: URL
  readonly port: number
  /** The host without brackets and trailing dot: the name that a certificate must match. */
  readonly host: string
  readonly addresses: readonly string[]
}

/** The settings that decide which targets are allowed. */
export type TargetOptions = {
  readonly rules: AddressRules
  /** Every A and AAAA answer for a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>
}

/** Longest URL requested: servers stop at 8 to 16 KiB themselves. */
const URL_CHARS_MAX = 16 * 1024

/** Addresses tried for one name: enough for any real one, few enough for the connect timeout. */
const ADDRESSES_MAX = 8

/**
 * Ports that no request goes to: the "bad ports" of the Fetch standard, which browsers refuse too,
 * and the stores that take commands line by line.
 *
 * A server behind one of them would read our request in another protocol: the body of a webhook is
 * partly written by the sender of the mail, so that it could contain SMTP, IRC or Redis commands,
 * sent in our name. All other ports are allowed: receivers and staging servers sit anywhere.
 */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 10080, 11211,
])

const NOT_REQUESTABLE = `The URL must be an http:// or https:// URL without user name and password, of at most ${URL_CHARS_MAX} characters.`

/**
 * The target of `url`, or an OutboundError of kind 'refused' or 'dns'.
 *
 * The rules apply to the host as the URL parser returns it: it turns decimal, octal, hexadecimal,
 * short, percent-encoded and full-width spellings into the address that they mean. A name is
 * allowed only if all its answers are, and connected to by these same answers: there is no second
 * look-up that a rebinding name server could answer differently.
 */
export async function resolveTarget(options: TargetOptions, url: string): Promise<Target> {
  const parsed = url.length <= URL_CHARS_MAX ? URL.parse(url) : null
  if (parsed === null || !isRequestable(parsed)) throw new OutboundError('refused', NOT_REQUESTABLE)

  const port = portOf(parsed)
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (REFUSED_PORTS.has(port)) {
    const detail = `Port ${port} is not allowed: it belongs to another protocol than HTTP.`
    throw new OutboundError('refused', detail)
  }

  const addresses = isIP(host) !== 0 ? [host] : await lookUp(options, host)
  if (!addresses.every((address) => isAllowedAddress(options.rules, address))) {
    throw new OutboundError('refused')
  }
  return { url: parsed, port, host, addresses: addresses.slice(0, ADDRESSES_MAX) }
}

function isRequestable(url: URL): boolean {
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:'
  return isHttp && url.username === '' && url.password === ''
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

async function lookUp({ rules, resolve }: TargetOptions, host: string): Promise<readonly string[]> {
  const isPublicOnly = !rules.allowPrivate && rules.allow.length === 0
  if (!isWellFormedName(host) || (isPublicOnly && isLocalName(host))) {
    throw new OutboundError('refused')
  }
  const addresses = await resolve(host).catch(() => {
    throw new OutboundError('dns')
  })
  if (addresses.length === 0) throw new OutboundError('refused')
  return addresses
}

/** No empty label: `127.0.0.1..` is a name to the URL parser and an address to some resolvers. */
function isWellFormedName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => label !== '')
}

/** Names that mean this machine or this network wherever they are resolved. */
function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)$/.test(host)
}
