import { Resolver } from 'node:dns'
import { z } from 'zod'
import { isLocalHost, parseBlock } from '../ip-address.ts'

/** A text that is not empty. */
export const text = z.string().min(1)
/** A text, or null when it is empty. */
export const optionalText = z.string().transform((value) => (value === '' ? null : value))
/** `true` or `false`. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true')
/** A port; 0 is any free one. */
export const port = wholeNumber(0, 65_535)
/** A port, or null when it is empty. */
export const optionalPort = optionalText.pipe(port.nullable())
/** Items separated by commas. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
/** A host name in lower case, or null when it is empty. */
export const optionalHostName = optionalText.pipe(
  z.string().toLowerCase().regex(HOST_NAME, { error: 'must be a host name' }).nullable(),
)
/** Domain names in lower case. */
export const domains = list
  .transform((names) => names.map((name) => name.toLowerCase()))
  .refine((names) => names.every((name) => HOST_NAME.test(name)), {
    error: 'must be domain names, separated by commas',
  })

/** Host names in lower case; `*.` at the beginning stands for every name below. */
export const hostPatterns = list
  .transform((names) => names.map((name) => name.toLowerCase()))
  .refine((names) => names.every((name) => HOST_NAME.test(name.replace(/^\*\./, ''))), {
    error: 'must be host names, each with an optional *. before it, separated by commas',
  })

const INITIAL_KEY = /^mf_live_(?:[a-z][a-z0-9]{0,7}_)?([A-Za-z0-9]{32,92})$/

/** 32 random hexadecimal digits have fewer than 8 different ones in one of ten million cases. */
const DIFFERENT_CHARACTERS_MIN = 8

/** An API key that the operator chose, or null when it is empty. */
export const initialKey = optionalText.refine((key) => key === null || isGoodKey(key), {
  error:
    'must be mf_live_ and 32 to 92 random letters and digits, as of `openssl rand -hex 24` (with MAYFLY_CELL=c2: mf_live_c2_ and these)',
})

function isGoodKey(key: string): boolean {
  const [, random = ''] = INITIAL_KEY.exec(key) ?? []
  return new Set(random).size >= DIFFERENT_CHARACTERS_MIN
}

/** The name of a cell, or null when it is empty. */
export const cellName = optionalText.refine(
  (name) => name === null || /^[a-z][a-z0-9]{0,7}$/.test(name),
  { error: 'must be a lower-case letter and up to 7 lower-case letters or digits' },
)

/** IP addresses of name servers, each with an optional port. */
export const dnsServers = list.refine(
  (servers) => succeeds(() => new Resolver().setServers(servers)),
  {
    error: 'must be IP addresses with optional ports, separated by commas',
  },
)

/** Mail servers, each with its port, in lower case. */
export const mailServers = list
  .transform((servers) => servers.map((server) => server.toLowerCase()))
  .refine((servers) => servers.every(isHostWithPort), {
    error: 'must be host:port, separated by commas',
  })

function isHostWithPort(text: string): boolean {
  const url = URL.parse(`smtp://${text}`)
  return url !== null && url.port !== '' && url.port !== '0' && url.host === text
}

/** An HTTP URL, or null when it is empty. */
export const baseUrl = optionalText.refine(
  (url) => url === null || (/^https?:\/\/[^/]+/.test(url) && URL.canParse(url)),
  { error: 'must be a URL that begins with http:// or https://' },
)

/** The URL of an identity provider: plain HTTP would expose its secrets on the network. */
export const providerUrl = z.string().refine(isProviderUrl, {
  error: 'must begin with https://, or with http:// and a loopback host',
})

function isProviderUrl(text: string): boolean {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null
  return url !== null && (url.protocol === 'https:' || isLocalHost(url.hostname))
}

/** Addresses and networks. */
export const networks = list.refine((items) => items.every((item) => parseBlock(item) !== null), {
  error: 'must be addresses or networks as 10.0.0.0/8, separated by commas',
})

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error })
}

function succeeds(attempt: () => void): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}
