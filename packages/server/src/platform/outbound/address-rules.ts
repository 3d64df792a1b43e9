import {
  type AddressBlock,
  blockContains,
  type IpAddress,
  parseAddress,
  readBlock,
} from '../../ip-address.ts'
import { IPV4_SPECIAL, IPV6_GLOBAL_UNICAST, IPV6_SPECIAL } from './special-addresses.ts'

/** Which addresses outbound requests may connect to. */
export type AddressRules = {
  /** Allows every address: for private deployments. */
  readonly allowPrivate: boolean
  /** Blocks that are allowed in addition to global unicast. */
  readonly allow: readonly AddressBlock[]
}

/** Rules from configuration; throws, naming the entry, when one of `allow` is no CIDR block. */
export function readAddressRules(settings: {
  readonly allowPrivate: boolean
  readonly allow: readonly string[]
}): AddressRules {
  return { allowPrivate: settings.allowPrivate, allow: settings.allow.map(readBlock) }
}

/**
 * Whether `text` is an address that may be connected to: global unicast, or in a block that the
 * operator allowed.
 */
export function isAllowedAddress(rules: AddressRules, text: string): boolean {
  const address = parseAddress(text)
  if (address === null) return false
  if (rules.allowPrivate) return true
  const reached = unwrapIpv4(address)
  return isGlobalUnicast(reached) || rules.allow.some((block) => blockContains(block, reached))
}

/** Whether `address` is an ordinary public one by the IANA registries. */
function isGlobalUnicast(address: IpAddress): boolean {
  const isInside = (block: AddressBlock) => blockContains(block, address)
  if (address.family === 4) return !IPV4_SPECIAL.some(isInside)
  return isInside(IPV6_GLOBAL_UNICAST) && !IPV6_SPECIAL.some(isInside) && !isIsatap(address.value)
}

/** The upper 96 bits of ::ffff:a.b.c.d: the system connects to a.b.c.d over IPv4. */
const MAPPED_PREFIX = 0xffffn

/** The upper 96 bits of 64:ff9b::a.b.c.d: a NAT64 gateway connects to a.b.c.d for us. */
const NAT64_PREFIX = 0x64_ff9b_0000_0000_0000_0000n

/**
 * The IPv4 address that is really reached. On an IPv6-only network every IPv4-only name resolves to
 * the NAT64 form, so that refusing it would cut such a host off.
 *
 * All other forms that carry an IPv4 address (compatible, translated, local NAT64, 6to4, Teredo,
 * ISATAP) are refused: none of them is global unicast.
 */
function unwrapIpv4(address: IpAddress): IpAddress {
  if (address.family === 4) return address
  const prefix = address.value >> 32n
  if (prefix !== MAPPED_PREFIX && prefix !== NAT64_PREFIX) return address
  return { family: 4, value: address.value & 0xffff_ffffn }
}

/**
 * ISATAP hides an IPv4 address in the lower half of any prefix, as 0:5efe:a.b.c.d or
 * 200:5efe:a.b.c.d; a router of that kind would send us on to it.
 */
function isIsatap(value: bigint): boolean {
  const marker = (value >> 32n) & 0xffff_ffffn
  return marker === 0x0000_5efen || marker === 0x0200_5efen
}
