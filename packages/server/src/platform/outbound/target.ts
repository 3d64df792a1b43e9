import { isIP } from 'node:net'
import { type AddressRules, isAllowedAddress } from './address-rules.ts'
import { OutboundError } from './failure.ts'
import { isAllowedPort } from './ports.ts'

/** Where one request goes: every address in it has been judged. */
export type Target = {
  readonly url: URL
  readonly port: number
  /** The host without brackets and trailing dot: what a certificate must be for. */
  readonly host: string
  readonly addresses: readonly string[]
}

/** What it takes to judge a URL. */
export type Judge = {
  readonly rules: AddressRules
  /** Every A and AAAA answer for a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>
}

/** Longest URL requested: servers stop at 8 to 16 KiB themselves. */
const URL_CHARS_MAX = 16 * 1024

/** Addresses tried for one name: enough for any real one, few enough for the connect timeout. */
const ADDRESSES_MAX = 8

/**
 * The target of `url`, or an OutboundError of kind 'refused' or 'dns'.
 *
 * Judged is what the URL parser made of the host: it turns decimal, octal, hexadecimal, short,
 * percent-encoded and full-width spellings into the address that they mean. A name is judged by all
 * its answers, and connected to by these same answers: there is no second look-up that a rebinding
 * name server could answer differently.
 */
export async function judgeTarget(judge: Judge, url: string): Promise<Target> {
  const parsed = url.length <= URL_CHARS_MAX ? URL.parse(url) : null
  if (parsed === null || !isRequestable(parsed)) throw new OutboundError('refused')

  const port = portOf(parsed)
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (!isAllowedPort(port)) throw new OutboundError('refused')

  const addresses = isIP(host) !== 0 ? [host] : await lookUp(judge, host)
  if (!addresses.every((address) => isAllowedAddress(judge.rules, address))) {
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

async function lookUp({ rules, resolve }: Judge, host: string): Promise<readonly string[]> {
  const isPublicOnly = !rules.allowPrivate && rules.allow.length === 0
  if (!isWellFormedName(host) || (isPublicOnly && isLocalName(host))) {
    throw new OutboundError('refused')
  }
  const addresses = await resolve(host).catch(() => {
    throw new OutboundError('dns')
  })
  if (addresses.length === 0) throw new OutboundError('dns', 'The name has no address.')
  return addresses
}

/** No empty label: `127.0.0.1..` is a name to the URL parser and an address to some resolvers. */
function isWellFormedName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => label !== '')
}

/** Names that mean this machine or this network wherever they are asked: not worth a question. */
function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)$/.test(host)
}
