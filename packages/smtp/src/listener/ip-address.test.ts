import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countedAddress, ipv6Bytes, isLoopback, plainAddress } from './ip-address.ts'

describe('the address of a client', () => {
  it('is shown as IPv4 when it is IPv4-mapped', () => {
    assert.equal(plainAddress('::ffff:192.0.2.1'), '192.0.2.1')
    assert.equal(plainAddress('192.0.2.1'), '192.0.2.1')
    assert.equal(plainAddress('2001:db8::1'), '2001:db8::1')
  })

  it('is local on the loopback addresses alone', () => {
    for (const address of ['127.0.0.1', '127.255.0.9', '::1']) assert.ok(isLoopback(address))
    for (const address of ['128.0.0.1', '10.0.0.1', '::2', '2001:db8::1']) {
      assert.ok(!isLoopback(address))
    }
  })

  const counted: readonly [address: string, key: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '20010db800010002/64'],
    ['2001:db8:1:2::9', '20010db800010002/64'],
    ['2001:db8::9', '20010db800000000/64'],
    ['2001:db8::5:0:0:9', '20010db800000000/64'],
    ['fe80::1%eth0', 'fe80000000000000/64'],
    ['::1', '0000000000000000/64'],
    ['2001:db8:1::', '20010db800010000/64'],
  ]
  for (const [address, key] of counted) {
    it(`${address} is counted as ${key}`, () => assert.equal(countedAddress(address), key))
  }
})

describe('the bytes of an IPv6 address', () => {
  const known: readonly [address: string, hex: string][] = [
    ['::', '00000000000000000000000000000000'],
    ['2001:DB8:1:2:3:4:5:6', '20010db8000100020003000400050006'],
    ['2001:db8::ffff', '20010db800000000000000000000ffff'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ]
  for (const [address, hex] of known) {
    it(`${address} is ${hex}`, () => assert.equal(ipv6Bytes(address).toString('hex'), hex))
  }
})
