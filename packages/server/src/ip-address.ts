import { isIPv4, isIPv6 } from 'node:net'

/** An IP address as a number, so that blocks are ranges and nothing depends on how it was spelt. */
export type IpAddress = { readonly family: 4 | 6; readonly value: bigint }

/** A CIDR block: every address of one family from `first` to `last`, both included. */
export type AddressBlock = {
  readonly family: 4 | 6
  readonly first: bigint
  readonly last: bigint
}

/**
 * The address that `text` spells, or null.
 *
 * Strict: dotted decimal without leading zeros for IPv4. A zone id (`%eth0`) is refused: it picks a
 * network interface, so the same digits would mean different machines.
 */
export function parseAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return { family: 4, value: joinBits(text.split('.').map(Number), 8n) }
  if (!isIPv6(text) || text.includes('%')) return null
  const groups = ipv6Groups(text).map((group) => Number.parseInt(group, 16))
  return { family: 6, value: joinBits(groups, 16n) }
}

/**
 * The eight groups of an IPv6 address in lower-case hexadecimal, without leading zeros and zone id.
 * Throws when `address` is not one.
 */
export function ipv6Groups(address: string): readonly string[] {
  if (!isIPv6(address)) throw new TypeError(`"${address}" is not an IPv6 address`)
  const [withoutZone] = address.split('%', 1)
  // The URL parser knows every spelling and has one of its own, without a dotted tail.
  const { hostname } = new URL(`http://[${withoutZone}]`)
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after]
}

/**
 * The block that `text` spells in CIDR notation, or null. A bare address is a block of one.
 *
 * Bits set beyond the prefix (`10.1.2.3/8`) are refused: a smaller block may have been meant.
 */
export function parseBlock(text: string): AddressBlock | null {
  const [, host = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseAddress(host)
  if (address === null) return null

  const width = address.family === 4 ? 32 : 128
  const prefixBits = prefix === undefined ? width : Number(prefix)
  if (prefixBits > width) return null

  const hostMask = (1n << BigInt(width - prefixBits)) - 1n
  if ((address.value & hostMask) !== 0n) return null
  return { family: address.family, first: address.value, last: address.value | hostMask }
}

/** As `parseBlock`; throws when `text` is not a block. */
export function readBlock(text: string): AddressBlock {
  const block = parseBlock(text)
  if (block === null) throw new Error(`"${text}" is not a CIDR block such as 10.0.0.0/8`)
  return block
}

/** Whether `address` lies in `block`; never across families, unlike `BlockList` of node:net. */
export function blockContains(block: AddressBlock, address: IpAddress): boolean {
  return (
    block.family === address.family && block.first <= address.value && address.value <= block.last
  )
}

/** A check whether an address, in any spelling, lies in one of the networks. */
export function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const blocks = networks.map(readBlock)
  return (text) => {
    const address = parseAddress(plainAddress(text))
    return address !== null && blocks.some((block) => blockContains(block, address))
  }
}

/** An IPv4 address that a socket of both families shows as IPv6; any other address unchanged. */
function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

const isLoopback = networkCheck(['127.0.0.0/8', '::1'])

/** Whether a host name, or an address with or without brackets, means this machine everywhere. */
export function isLocalHost(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'))
}

/** 64 bits: networks assign at least that many IPv6 addresses to one customer. */
const GROUPS_PER_CUSTOMER = 4

/**
 * The key under which a client is counted: its address in IPv4, the first 64 bits of it in IPv6.
 * Null for a client on this machine.
 */
export function clientKey(address: string): string | null {
  const plain = plainAddress(address)
  if (isLoopback(plain)) return null
  return isIPv6(plain) ? `${ipv6Groups(plain).slice(0, GROUPS_PER_CUSTOMER).join(':')}::` : plain
}

function joinBits(parts: readonly number[], bitsPerPart: bigint): bigint {
  return parts.reduce((value, part) => (value << bitsPerPart) | BigInt(part), 0n)
}
