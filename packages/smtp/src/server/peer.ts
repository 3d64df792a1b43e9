/** The address as people write it: an IPv4 client of an IPv6 socket is an IPv4 client. */
export function plainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address
}

/** Whether the client runs on this very machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/**
 * What connections are counted by: the IPv4 address, or the first 64 bits of an IPv6 one,
 * because whoever has one such address has them all.
 */
export function countedAddress(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%', 1).join('').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
