import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countedAddress, isLoopback, plainAddress } from './peer.ts'

describe('a peer', () => {
  it('is shown as IPv4 when it is', () => {
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
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
  ]
  for (const [address, key] of counted) {
    it(`${address} is counted as ${key}`, () => assert.equal(countedAddress(address), key))
  }
})
