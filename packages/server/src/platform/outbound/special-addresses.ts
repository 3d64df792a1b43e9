import { type AddressBlock, readBlock } from '../../ip-address.ts'

/**
 * IPv4 blocks that are not ordinary public addresses: the IANA IPv4 Special-Purpose Address
 * Registry, where a row inside another needs no line of its own, and multicast.
 *
 * Rows that the registry calls globally reachable (AS112, AMT) are listed too: they are anycast,
 * answered by the nearest network that offers the service, which may well be our own.
 */
export const IPV4_SPECIAL: readonly AddressBlock[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared between carrier and customer
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link local; cloud metadata lives here
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // protocol assignments: DS-Lite, PCP, TURN, NAT64 discovery
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays, withdrawn
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and limited broadcast
].map(readBlock)

/** All of IPv6 that IANA hands out as global unicast; the rest is special or reserved. */
export const IPV6_GLOBAL_UNICAST: AddressBlock = readBlock('2000::/3')

/**
 * Special blocks inside 2000::/3: the IANA IPv6 Special-Purpose Address Registry. Rows outside
 * (loopback, mapped, NAT64, unique local, link local, segment routing …) need no line.
 */
export const IPV6_SPECIAL: readonly AddressBlock[] = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, AMT, AS112, both ORCHIDs, drone ids
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries an IPv4 address, and no relay serves it any more
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map(readBlock)
