/** An IPv4-mapped IPv6 address as IPv4; any other address unchanged. */
export function plainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address
}

/** Whether the client runs on this machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/**
 * The key by which connections are counted: the IPv4 address, or the first 64 bits of an IPv6
 * address, because networks assign at least that many addresses to one customer, and up to 48 bits.
 */
export function countedAddress(
  address: string,
  { ipv6Bits = 64 }: { readonly ipv6Bits?: 48 | 64 } = {},
): string {
  if (!address.includes(':')) return address
  return `${ipv6Bytes(address).toString('hex', 0, ipv6Bits / 8)}/${ipv6Bits}`
}

/** The 16 bytes of an IPv6 address. `node:net` checks and compares addresses, but has no bytes. */
export function ipv6Bytes(address: string): Buffer {
  const withoutZone = address.replace(/%.*$/, '')
  // The URL parser rewrites an IPv4 tail (`::ffff:192.0.2.1`) as groups; only `::` remains.
  const plain = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1)
  const [before = [], after = []] = plain
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const groups = [...before, ...zeros, ...after]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
