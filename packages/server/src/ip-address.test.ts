import assert from 'node:assert/strict'
import { SocketAddress } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  blockContains,
  clientKey,
  ipv6Groups,
  isLocalHost,
  parseAddress,
  parseBlock,
} from './ip-address.ts'

describe('ipv6Groups', () => {
  const CASES: readonly (readonly [address: string, groups: string])[] = [
    ['::', '0 0 0 0 0 0 0 0'],
    ['::1', '0 0 0 0 0 0 0 1'],
    ['1::', '1 0 0 0 0 0 0 0'],
    ['2001:DB8:0001:2::9', '2001 db8 1 2 0 0 0 9'],
    ['1:2:3:4:5:6:7:8', '1 2 3 4 5 6 7 8'],
    ['1:2:3:4:5:6:7::', '1 2 3 4 5 6 7 0'],
    ['::2:3:4:5:6:7:8', '0 2 3 4 5 6 7 8'],
    ['::ffff:192.0.2.7', '0 0 0 0 0 ffff c000 207'],
    ['64:ff9b::10.0.0.1', '64 ff9b 0 0 0 0 a00 1'],
    ['fe80::1%eth0', 'fe80 0 0 0 0 0 0 1'],
  ]
  for (const [address, groups] of CASES) {
    it(`expands ${address}`, () => assert.deepEqual(ipv6Groups(address), groups.split(' ')))
  }

  it('means the same address as before, for any address', () => {
    const normalised = (address: string) => new SocketAddress({ family: 'ipv6', address }).address
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        assert.equal(normalised(ipv6Groups(address).join(':')), normalised(address))
      }),
      { numRuns: 2_000 },
    )
  })

  for (const text of ['', '1.2.3.4', 'name', '1::2::3', '1:2:3:4:5:6:7:8:9', '[::1]', '::1]/[::']) {
    it(`throws for ${JSON.stringify(text)}`, () => assert.throws(() => ipv6Groups(text)))
  }
})

describe('blockContains', () => {
  it('keeps the families apart', () => {
    const address = parseAddress('10.0.0.1')
    const everyIpv6 = parseBlock('::/0')
    assert.ok(address !== null && everyIpv6 !== null)
    assert.equal(blockContains(everyIpv6, address), false)
  })
})

describe('clientKey', () => {
  const cases: readonly [string, string | null][] = [
    ['127.0.0.1', null],
    ['127.9.9.9', null],
    ['::1', null],
    ['0:0:0:0:0:0:0:1', null],
    ['::ffff:127.0.0.1', null],
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['128.0.0.1', '128.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8:1:2::9', '2001:db8:1:2::'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::'],
    ['2001:db8::7', '2001:db8:0:0::'],
    ['fe80::1%eth0', 'fe80:0:0:0::'],
    ['::2', '0:0:0:0::'],
  ]
  for (const [address, key] of cases) {
    it(`counts ${address} as ${key}`, () => assert.equal(clientKey(address), key))
  }
})

describe('isLocalHost', () => {
  for (const host of ['localhost', 'LocalHost', '127.0.0.1', '127.9.9.9', '::1', '[::1]']) {
    it(`holds for ${host}`, () => assert.equal(isLocalHost(host), true))
  }
  for (const host of ['', 'localhost.', 'a.localhost', '128.0.0.1', '127.0.0.1.example', '127.1']) {
    it(`does not hold for ${JSON.stringify(host)}`, () => assert.equal(isLocalHost(host), false))
  }
})
