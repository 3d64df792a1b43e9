import { BlockList, isIPv6 } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const GROUPS = 8

/** A network gives one customer 64 bits of IPv6 addresses at the least. */
const GROUPS_PER_CUSTOMER = 4

/**
 * What stands for whoever calls from an address: the address itself in IPv4, its first half
 * in IPv6. Null for the machine itself.
 */
export function callerAddress(address: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  if (LOOPBACK.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')) return null
  return isIPv6(plain) ? `${ipv6Groups(plain).slice(0, GROUPS_PER_CUSTOMER).join(':')}::` : plain
}

function ipv6Groups(address: string): string[] {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0')
  const all = tail === undefined ? before : [...before, ...zeros, ...after]
  return all.map((group) => group.replace(/^0+(?=.)/, ''))
}
