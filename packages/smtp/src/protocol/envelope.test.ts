import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parsePath } from './envelope.ts'

const LOCAL_64 = 'l'.repeat(64)
const DOMAIN_191 = `${`${'d'.repeat(47)}.`.repeat(3)}${'d'.repeat(43)}.com`

describe('a path', () => {
  const good: readonly [text: string, address: string][] = [
    ['<a@b>', 'a@b'],
    ['<First.Last+tag@Sub.Example.COM>', 'First.Last+tag@Sub.Example.COM'],
    ["<!#$%&'*+-/=?^_`{|}~@example.com>", "!#$%&'*+-/=?^_`{|}~@example.com"],
    ['<a@under_score.example.com>', 'a@under_score.example.com'],
    ['<a@[192.0.2.1]>', 'a@[192.0.2.1]'],
    ['<a@[IPv6:2001:db8::1]>', 'a@[IPv6:2001:db8::1]'],
    ['<@relay.example:a@b.c>', 'a@b.c'],
    ['<@one.example,@two.example:a@b.c>', 'a@b.c'],
    ['<"a.b"@c.d>', 'a.b@c.d'],
    ['<"a\\b"@c.d>', 'ab@c.d'],
    ['<"a b"@c.d>', '"a b"@c.d'],
    ['<"a\\"\\\\b@"@c.d>', '"a\\"\\\\b@"@c.d'],
    ['<"a>b"@c.d>', '"a>b"@c.d'],
    ['<""@c.d>', '""@c.d'],
    ['<jörg@exämple.com>', 'jörg@exämple.com'],
    ['<用户@例え.jp>', '用户@例え.jp'],
    [`<${LOCAL_64}@b.c>`, `${LOCAL_64}@b.c`],
    [`<${'l'.repeat(62)}@${DOMAIN_191}>`, `${'l'.repeat(62)}@${DOMAIN_191}`],
  ]
  for (const [text, address] of good) {
    it(`${text} is ${address}`, () => {
      for (const kind of ['sender', 'recipient'] as const) {
        const path = parsePath(`${text} REST`, kind)
        assert.equal(path?.address, address)
        assert.equal(path?.rest, ' REST')
        assert.equal(path?.isAscii, /^[\x00-\x7f]*$/.test(address))
      }
    })
  }

  const bad = [
    ...['', '<', 'a@b.c', '<a>', '<@b.c>', '<a@>', '<a@b.c', '< a@b.c>', '<a@b.c >', '<a b@c.d>'],
    ...[
      '<.a@b.c>',
      '<a.@b.c>',
      '<a..b@c.d>',
      '<a@b..c>',
      '<a@.b>',
      '<a@b.>',
      '<a@-b.c>',
      '<a@b-.c>',
    ],
    ...[
      '<a@b@c.d>',
      '<a,b@c.d>',
      '<a@b,c>',
      '<"a@b.c>',
      '<"a"b@c.d>',
      '<"a\tb"@c.d>',
      '<a@[1.2.3>',
    ],
    ...['<@relay:>', '<@relay a@b.c>', '<<a@b.c>>', '<a(comment)@b.c>', '<a@b.c;d>', '<a@b%c>'],
    ...['<a\u200b@b.c>', '<a@b\u202e.c>', '<a\u0085@b.c>', '<\ufeffa@b.c>'],
    `<${'l'.repeat(63)}@${DOMAIN_191}>`,
    `<a@${'d'.repeat(64)}.com>`,
  ]
  for (const text of bad) {
    it(`${JSON.stringify(text)} is none`, () => {
      assert.equal(parsePath(text, 'sender'), null)
      assert.equal(parsePath(text, 'recipient'), null)
    })
  }

  it('may be empty for a sender only, and a bare postmaster for a recipient only', () => {
    assert.deepEqual(parsePath('<>', 'sender'), { address: '', isAscii: true, rest: '' })
    assert.equal(parsePath('<>', 'recipient'), null)
    assert.equal(parsePath('<POSTMASTER>', 'recipient')?.address, 'postmaster')
    assert.equal(parsePath('<postmaster>', 'sender'), null)
  })

  it('may have a local part of more than 64 bytes, within 256 bytes in all', () => {
    for (const kind of ['sender', 'recipient'] as const) {
      assert.notEqual(parsePath(`<bounces+${'x'.repeat(90)}@example.com>`, kind), null)
      assert.notEqual(parsePath(`<${'é'.repeat(125)}@b.c>`, kind), null)
      assert.equal(parsePath(`<${'é'.repeat(126)}@b.c>`, kind), null)
    }
  })

  it('keeps its address when it is written and read again', () => {
    const local = fc.oneof(
      fc.stringMatching(/^[a-z0-9!#$%&'*+=?^_`{|}~-]{1,9}(?:\.[a-z0-9]{1,9})?$/),
      fc.stringMatching(/^"(?:[ !#-[\]-~]|\\[ -~]){0,20}"$/),
    )
    const domain = fc.stringMatching(/^[a-z0-9]{1,9}(?:\.[a-z0-9]{1,9}){0,3}$/)
    const property = fc.property(local, domain, (before, after) => {
      const address = parsePath(`<${before}@${after}>`, 'sender')?.address
      assert.equal(typeof address, 'string')
      assert.equal(parsePath(`<${address}>`, 'sender')?.address, address)
    })
    fc.assert(property)
  })
})
