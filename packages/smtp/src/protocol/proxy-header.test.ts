import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readProxyHeader } from './proxy-header.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
/** 192.0.2.7:51000 to 198.51.100.1:25. */
const TCP4 = `${SIGNATURE}2111000cc0000207c6336401c7380019`
/** [2001:db8::7]:51000 to [2001:db8::1]:25. */
const TCP6 = `${SIGNATURE}2121002420010db800000000000000000000000720010db8000000000000000000000001c7380019`
/** As TCP4, through a socket of both families. */
const MAPPED = `${SIGNATURE}2121002400000000000000000000ffffc000020700000000000000000000ffffc6336401c7380019`

const bytesOf = (hex: string) => Buffer.from(hex, 'hex')

describe('the header of the PROXY protocol', () => {
  for (const [name, bytes, clientAddress] of [
    ['version 2, IPv4', bytesOf(TCP4), '192.0.2.7'],
    ['version 2, IPv6', bytesOf(TCP6), '2001:db8::7'],
    ['version 2, IPv4 as IPv6', bytesOf(MAPPED), '192.0.2.7'],
    [
      'version 2 with more about the connection',
      bytesOf(`${SIGNATURE}21110010c0000207c6336401c738001904000100`),
      '192.0.2.7',
    ],
    ['version 2 of the proxy itself', bytesOf(`${SIGNATURE}20000000`), null],
    ['version 2 without addresses', bytesOf(`${SIGNATURE}21000000`), null],
    ['version 1, IPv4', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 51000 25\r\n'), '192.0.2.7'],
    [
      'version 1, IPv6',
      Buffer.from('PROXY TCP6 2001:db8::7 2001:db8::1 51000 25\r\n'),
      '2001:db8::7',
    ],
    ['version 1 without addresses', Buffer.from('PROXY UNKNOWN\r\n'), null],
  ] as const) {
    it(`is read wherever it is cut: ${name}`, () => {
      const complete = { kind: 'complete', clientAddress, lengthBytes: bytes.length }
      for (let length = 0; length < bytes.length; length++) {
        assert.deepEqual(readProxyHeader(bytes.subarray(0, length)), { kind: 'incomplete' })
      }
      assert.deepEqual(readProxyHeader(bytes), complete)
      assert.deepEqual(readProxyHeader(Buffer.concat([bytes, Buffer.from('EHLO x')])), complete)
    })
  }

  for (const [name, bytes] of [
    ['a command of SMTP', Buffer.from('EHLO x\r\n')],
    ['another version', bytesOf(`${SIGNATURE}31110000`)],
    ['another command', bytesOf(`${SIGNATURE}22110000`)],
    ['UDP', bytesOf(TCP4.replace('2111', '2112'))],
    ['addresses that are too short', bytesOf(`${SIGNATURE}21110004c0000207`)],
    ['more than 4 KiB', bytesOf(`${SIGNATURE}21111001`)],
    ['a line that does not end', Buffer.from(`PROXY ${'x'.repeat(101)}`)],
    ['a line that is too long', Buffer.from(`PROXY TCP4 192.0.2.7 ${'x'.repeat(100)}\r\n`)],
    ['no address', Buffer.from('PROXY TCP4\r\n')],
    ['a name', Buffer.from('PROXY TCP4 example.com 198.51.100.1 51000 25\r\n')],
    ['an address out of range', Buffer.from('PROXY TCP4 192.0.2.256 198.51.100.1 51000 25\r\n')],
    ['an address of the other family', Buffer.from('PROXY TCP6 192.0.2.7 198.51.100.1 1 25\r\n')],
  ] as const) {
    it(`is not ${name}`, () => assert.deepEqual(readProxyHeader(bytes), { kind: 'malformed' }))
  }
})
