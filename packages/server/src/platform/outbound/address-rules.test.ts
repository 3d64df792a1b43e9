import assert from 'node:assert/strict'
import { BlockList, isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isAllowedAddress, readAddressRules } from './address-rules.ts'

const PUBLIC_ONLY = readAddressRules({ allowPrivate: false, allow: [] })
const isPublic = (address: string) => isAllowedAddress(PUBLIC_ONLY, address)

type Row = {
  readonly block: string
  readonly name: string
  /** Addresses of the block that must be refused: its edges first. */
  readonly inside: readonly string[]
  /** Neighbours of the block that are ordinary public addresses. */
  readonly outside: readonly string[]
}

// A table: an arrow, whose columns need no names at each call.
const row = (
  ...[block, name, inside, outside = '']: readonly [string, string, string, string?]
): Row => ({
  block,
  name,
  inside: inside.split(' '),
  outside: outside.split(' ').filter(Boolean),
})

// Every row of the IANA IPv4 Special-Purpose Address Registry, and multicast.
const IPV4_REGISTRY: readonly Row[] = [
  row('0.0.0.0/8', 'this network', '0.0.0.0 0.255.255.255', '1.0.0.0'),
  row('0.0.0.0/32', 'this host', '0.0.0.0 0.0.0.1'),
  row('10.0.0.0/8', 'private use', '10.0.0.0 10.255.255.255', '9.255.255.255 11.0.0.0'),
  row('100.64.0.0/10', 'shared', '100.64.0.0 100.127.255.255', '100.63.255.255 100.128.0.0'),
  row(
    '127.0.0.0/8',
    'loopback',
    '127.0.0.0 127.0.0.1 127.255.255.255',
    '126.255.255.255 128.0.0.0',
  ),
  row(
    '169.254.0.0/16',
    'link local',
    '169.254.0.0 169.254.169.254 169.254.255.255',
    '169.253.255.255 169.255.0.0',
  ),
  row('172.16.0.0/12', 'private use', '172.16.0.0 172.31.255.255', '172.15.255.255 172.32.0.0'),
  row('192.0.0.0/24', 'protocol assignments', '192.0.0.0 192.0.0.255', '191.255.255.255 192.0.1.0'),
  row('192.0.0.0/29', 'service continuity', '192.0.0.0 192.0.0.7'),
  row('192.0.0.8/32', 'dummy address', '192.0.0.8'),
  row('192.0.0.9/32', 'PCP anycast', '192.0.0.9'),
  row('192.0.0.10/32', 'TURN anycast', '192.0.0.10'),
  row('192.0.0.170/32', 'NAT64 discovery', '192.0.0.170'),
  row('192.0.0.171/32', 'NAT64 discovery', '192.0.0.171'),
  row('192.0.2.0/24', 'documentation 1', '192.0.2.0 192.0.2.255', '192.0.1.255 192.0.3.0'),
  row('192.31.196.0/24', 'AS112', '192.31.196.0 192.31.196.255', '192.31.195.255 192.31.197.0'),
  row('192.52.193.0/24', 'AMT', '192.52.193.0 192.52.193.255', '192.52.192.255 192.52.194.0'),
  row('192.88.99.0/24', '6to4 relay', '192.88.99.0 192.88.99.255', '192.88.98.255 192.88.100.0'),
  row('192.88.99.2/32', '6a44 relay', '192.88.99.2'),
  row(
    '192.168.0.0/16',
    'private use',
    '192.168.0.0 192.168.255.255',
    '192.167.255.255 192.169.0.0',
  ),
  row('192.175.48.0/24', 'AS112', '192.175.48.0 192.175.48.255', '192.175.47.255 192.175.49.0'),
  row('198.18.0.0/15', 'benchmarking', '198.18.0.0 198.19.255.255', '198.17.255.255 198.20.0.0'),
  row(
    '198.51.100.0/24',
    'documentation 2',
    '198.51.100.0 198.51.100.255',
    '198.51.99.255 198.51.101.0',
  ),
  row(
    '203.0.113.0/24',
    'documentation 3',
    '203.0.113.0 203.0.113.255',
    '203.0.112.255 203.0.114.0',
  ),
  row('224.0.0.0/4', 'multicast', '224.0.0.0 239.255.255.255', '223.255.255.255'),
  row('240.0.0.0/4', 'reserved', '240.0.0.0 255.255.255.254'),
  row('255.255.255.255/32', 'limited broadcast', '255.255.255.255'),
]

// Every row of the IANA IPv6 Special-Purpose Address Registry, and what is no global unicast.
const IPV6_REGISTRY: readonly Row[] = [
  row('::1/128', 'loopback', '::1 ::2 0:0:0:0:0:0:0:1'),
  row('::/128', 'unspecified', ':: 0::0'),
  row('::/96', 'IPv4-compatible', '::7f00:1 ::127.0.0.1 ::8.8.8.8 ::255.255.255.255'),
  row('::ffff:0:0:0/96', 'IPv4-translated', '::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8'),
  row(
    '::ffff:0:0/96',
    'IPv4-mapped',
    '::ffff:0.0.0.0 ::ffff:7f00:1 ::ffff:255.255.255.255 ::1:0:0:0',
  ),
  row(
    '64:ff9b::/96',
    'NAT64',
    '64:ff9b:: 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::ffff:ffff 64:ff9b::1:0:0',
  ),
  row(
    '64:ff9b:1::/48',
    'local NAT64',
    '64:ff9b:1:: 64:ff9b:1::8.8.8.8 64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  ),
  row('100::/64', 'discard', '100:: 100::ffff:ffff:ffff:ffff'),
  row('100:0:0:1::/64', 'dummy prefix', '100:0:0:1:: 100:0:0:1:ffff:ffff:ffff:ffff'),
  row(
    '2001::/23',
    'protocol assignments',
    '2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200::',
  ),
  row(
    '2001::/32',
    'Teredo',
    '2001:: 2001:0:808:808:8000:1234:f7f7:f7f7 2001:0:ffff:ffff:ffff:ffff:ffff:ffff',
  ),
  row('2001:1::1/128', 'PCP anycast', '2001:1::1'),
  row('2001:1::2/128', 'TURN anycast', '2001:1::2'),
  row('2001:1::3/128', 'DNS-SD anycast', '2001:1::3'),
  row('2001:2::/48', 'benchmarking', '2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff'),
  row('2001:3::/32', 'AMT', '2001:3:: 2001:3:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('2001:4:112::/48', 'AS112', '2001:4:112:: 2001:4:112:ffff:ffff:ffff:ffff:ffff'),
  row('2001:10::/28', 'ORCHID', '2001:10:: 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('2001:20::/28', 'ORCHIDv2', '2001:20:: 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('2001:30::/28', 'drone ids', '2001:30:: 2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'),
  row(
    '2001:db8::/32',
    'documentation',
    '2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9::',
  ),
  row(
    '2002::/16',
    '6to4',
    '2002:: 2002:7f00:1::1 2002:808:808::1 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003::',
  ),
  row(
    '2620:4f:8000::/48',
    'AS112',
    '2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001::',
  ),
  row(
    '3fff::/20',
    'documentation',
    '3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::',
  ),
  row(
    '4000::/2',
    'beyond global unicast',
    '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 4000::',
    '2000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ),
  row('5f00::/16', 'segment routing', '5f00:: 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('fc00::/7', 'unique local', 'fc00:: fd00::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('fe80::/10', 'link local', 'fe80:: fe80::1 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('fec0::/10', 'site local', 'fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  row('ff00::/8', 'multicast', 'ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
  row(
    'any/64',
    'ISATAP',
    '2a00:1:2:3:0:5efe:7f00:1 2a00:1:2:3:200:5efe:808:808',
    '2a00:1:2:3:0:5eff:808:808 2a00:1:2:3:100:5efe:808:808',
  ),
]

describe('addresses that outbound requests may reach', () => {
  for (const { block, name, inside, outside } of [...IPV4_REGISTRY, ...IPV6_REGISTRY]) {
    it(`refuses ${block} (${name}) and stops at its edges`, () => {
      for (const address of inside) assert.equal(isPublic(address), false, address)
      for (const address of outside) assert.equal(isPublic(address), true, address)
    })
  }

  const PUBLIC = ['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2A00:1450::8A']
  const WRAPPED_PUBLIC = ['::ffff:8.8.8.8', '::FFFF:808:808', '64:ff9b::8.8.8.8']
  for (const address of [...PUBLIC, ...WRAPPED_PUBLIC]) {
    it(`allows ${address}`, () => assert.equal(isPublic(address), true))
  }

  const NO_ADDRESS = [
    '',
    ' ',
    'localhost',
    '1.2.3',
    '134744072',
    '0x8.8.8.8',
    '08.8.8.8',
    '8.8.8.8 ',
  ]
  const NO_ADDRESS_6 = [
    '[2600::1]',
    '2600::1%eth0',
    '2600::1%',
    '2600::1::1',
    '2600::1/64',
    '８.8.8.8',
  ]
  for (const text of [...NO_ADDRESS, ...NO_ADDRESS_6]) {
    it(`refuses ${JSON.stringify(text)}, which is no address, even where all are allowed`, () => {
      const rules = readAddressRules({ allowPrivate: true, allow: ['0.0.0.0/0', '::/0'] })
      assert.equal(isPublic(text), false)
      assert.equal(isAllowedAddress(rules, text), false)
    })
  }
})

describe('what the operator allows', () => {
  it('allows every address with allowPrivate', () => {
    const rules = readAddressRules({ allowPrivate: true, allow: [] })
    for (const { inside } of [...IPV4_REGISTRY, ...IPV6_REGISTRY]) {
      for (const address of inside) assert.equal(isAllowedAddress(rules, address), true, address)
    }
  })

  it('allows the listed blocks alone, in every spelling', () => {
    const rules = readAddressRules({
      allowPrivate: false,
      allow: ['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1'],
    })
    const cases: readonly (readonly [address: string, isAllowed: boolean])[] = [
      ['10.1.0.0', true],
      ['10.1.255.255', true],
      ['10.0.255.255', false],
      ['10.2.0.0', false],
      ['::ffff:10.1.2.3', true],
      ['::ffff:10.2.2.3', false],
      ['fd00:1::1', true],
      ['fd00:2::1', false],
      ['127.0.0.1', true],
      ['127.0.0.2', false],
      ['8.8.8.8', true],
      ['::1', false],
    ]
    for (const [address, isAllowed] of cases) {
      assert.equal(isAllowedAddress(rules, address), isAllowed, address)
    }
  })

  const BAD_BLOCKS = ['10.0.0.0/33', '10.0.0.1/8', 'fd00::/129', '10/8', '10.0.0.0/', '/8', 'x', '']
  for (const cidr of [...BAD_BLOCKS, '10.0.0.0/-1', '10.0.0.0/8/8', 'fe80::%eth0/64']) {
    it(`stops at ${JSON.stringify(cidr)} with a line that names it`, () => {
      assert.throws(() => readAddressRules({ allowPrivate: false, allow: [cidr] }), {
        message: `"${cidr}" is not a CIDR block such as 10.0.0.0/8`,
      })
    })
  }
})

describe('address rules, for any address', () => {
  const octets = fc.ipV4()
  const hexOf = (ipv4: string) => {
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }

  it('treats IPv4 as a block list of the registry does', () => {
    const registry = new BlockList()
    for (const { block } of IPV4_REGISTRY) {
      const [net = '', bits] = block.split('/')
      registry.addSubnet(net, Number(bits))
    }
    fc.assert(
      fc.property(octets, (address) => isPublic(address) === !registry.check(address)),
      { numRuns: 5000 },
    )
  })

  it('treats a mapped or NAT64 address as the IPv4 address inside', () => {
    fc.assert(
      fc.property(octets, fc.constantFrom('::ffff:', '64:ff9b::'), (address, prefix) => {
        assert.equal(isPublic(prefix + address), isPublic(address))
        assert.equal(isPublic(prefix + hexOf(address)), isPublic(address))
      }),
    )
  })

  it('refuses every other form that carries an IPv4 address', () => {
    fc.assert(
      fc.property(octets, (address) => {
        const hex = hexOf(address)
        const forms = [`::${hex}`, `::ffff:0:${hex}`, `64:ff9b:1::${hex}`, `2002:${hex}::1`]
        for (const form of [...forms, `2001:0:${hex}::1`, `2a00:1:2:3:0:5efe:${hex}`]) {
          assert.equal(isPublic(form), false, form)
        }
      }),
    )
  })

  it('treats IPv6 by its value, however it is spelt', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const shortest = new URL(`http://[${address}]/`).hostname.slice(1, -1)
        return (
          isPublic(address) === isPublic(shortest) &&
          isPublic(address.toUpperCase()) === isPublic(shortest)
        )
      }),
    )
  })

  it('treats allowed IPv6 blocks as a block list does', () => {
    const groups = fc.array(fc.constantFrom('0', '1', '8000', 'ffff'), {
      minLength: 7,
      maxLength: 7,
    })
    fc.assert(
      fc.property(groups, fc.integer({ min: 8, max: 128 }), fc.nat(127), (tail, bits, flip) => {
        const value = BigInt(`0xfd00${tail.map((group) => group.padStart(4, '0')).join('')}`)
        const network = textOf((value >> BigInt(128 - bits)) << BigInt(128 - bits))
        const rules = readAddressRules({ allowPrivate: false, allow: [`${network}/${bits}`] })
        const blockList = new BlockList()
        blockList.addSubnet(network, bits, 'ipv6')
        const probe = textOf(value ^ (1n << BigInt(flip)))
        // A flip in the first eight bits leaves fd00::/8 and may enter global unicast.
        if (flip < 120) assert.equal(isAllowedAddress(rules, probe), blockList.check(probe, 'ipv6'))
      }),
      { numRuns: 2000 },
    )
  })

  it('allows no text that is not an address', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%/[]') })),
        (text) => {
          if (isIP(text) === 0 || text.includes('%')) assert.equal(isPublic(text), false)
        },
      ),
      { numRuns: 5000 },
    )
  })

  function textOf(value: bigint): string {
    return value
      .toString(16)
      .padStart(32, '0')
      .replace(/(.{4})(?=.)/g, '$1:')
  }
})
