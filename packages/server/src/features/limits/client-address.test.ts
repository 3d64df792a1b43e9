import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ipv6Groups } from '../../platform/ip-address.ts'
import { clientKey } from './client-address.ts'

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
    it(`counts ${address} as ${key}`, () => assert.equal(clientKey(address, ipv6Groups), key))
  }
})
