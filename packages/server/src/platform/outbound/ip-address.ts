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
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) }
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: ipv6Value(text) }
  return null
}

/**
 * The block that `text` spells in CIDR notation, or null. A bare address is a block of one.
 *
 * Bits set beyond the prefix (`10.1.2.3/8`) are refused: whoever wrote that may have meant less.
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

/** Whether `address` lies in `block`; never across families. */
export function blockContains(block: AddressBlock, address: IpAddress): boolean {
  return (
    block.family === address.family && block.first <= address.value && address.value <= block.last
  )
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

function ipv6Value(text: string): bigint {
  const [head = '', tail = ''] = withHexTail(text).split('::')
  const before = groups(head)
  const after = groups(tail)
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  )
}

/** Rewrites a dotted tail (`::ffff:1.2.3.4`) as the two groups that it stands for. */
function withHexTail(text: string): string {
  const dotted = text.slice(text.lastIndexOf(':') + 1)
  if (!dotted.includes('.')) return text
  const value = ipv4Value(dotted)
  const tail = `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
  return text.slice(0, -dotted.length) + tail
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
