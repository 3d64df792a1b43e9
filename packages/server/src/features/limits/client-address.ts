import { BlockList, isIPv6 } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** 64 bits: networks assign at least that many IPv6 addresses to one customer. */
const GROUPS_PER_CUSTOMER = 4

/**
 * The key under which a client is counted: its address in IPv4, the first 64 bits of it in IPv6.
 * Null for a client on this machine.
 */
export function clientKey(
  address: string,
  ipv6Groups: (address: string) => readonly string[],
): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  if (LOOPBACK.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')) return null
  return isIPv6(plain) ? `${ipv6Groups(plain).slice(0, GROUPS_PER_CUSTOMER).join(':')}::` : plain
}
