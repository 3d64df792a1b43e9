import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { ADDRESSES_MAX } from '../limits.ts'
import { DefectList } from '../mime/defects.ts'
import { parseAddressList } from './address-list.ts'

type Pair = readonly [name: string | null, address: string | null]

function parse(value: string): readonly Pair[] {
  return parseAddressList(value, new DefectList()).map(({ name, address }) => [name, address])
}

describe('address lists', () => {
  const cases: readonly (readonly [value: string, addresses: readonly Pair[]])[] = [
    ['a@b.example', [[null, 'a@b.example']]],
    ['<a@b.example>', [[null, 'a@b.example']]],
    ['Ann Bee <a@b.example>', [['Ann Bee', 'a@b.example']]],
    ['"Bee, Ann" <a@b.example>', [['Bee, Ann', 'a@b.example']]],
    ['"Ann \\"A\\" Bee" <a@b.example>', [['Ann "A" Bee', 'a@b.example']]],
    ['Ann   Bee<a@b.example>', [['Ann Bee', 'a@b.example']]],
    ['a@b.example (Ann (the) Bee)', [['Ann (the) Bee', 'a@b.example']]],
    ['(Ann) <a@b.example>', [['Ann', 'a@b.example']]],
    ['Ann (work) <a@b.example>', [['Ann', 'a@b.example']]],
    [
      'a@b.example, c@d.example',
      [
        [null, 'a@b.example'],
        [null, 'c@d.example'],
      ],
    ],
    [
      'a@b.example;c@d.example',
      [
        [null, 'a@b.example'],
        [null, 'c@d.example'],
      ],
    ],
    [
      'Team: a@b.example, C <c@d.example>;',
      [
        [null, 'a@b.example'],
        ['C', 'c@d.example'],
      ],
    ],
    [
      'A: a@b.example;, B: c@d.example;',
      [
        [null, 'a@b.example'],
        [null, 'c@d.example'],
      ],
    ],
    ['undisclosed-recipients:;', []],
    ['', []],
    [' , ,, ', []],
    ['=?utf-8?Q?J=C3=BCrgen?= <j@b.example>', [['Jürgen', 'j@b.example']]],
    ['"=?utf-8?Q?J=C3=BCrgen?=" <j@b.example>', [['Jürgen', 'j@b.example']]],
    ['=?utf-8?Q?a=2C_b?= <j@b.example>', [['a, b', 'j@b.example']]],
    ['"john doe"@b.example', [[null, '"john doe"@b.example']]],
    ['<"a>b"@b.example>', [[null, '"a>b"@b.example']]],
    ['Ann "john doe"@b.example', [['Ann', '"john doe"@b.example']]],
    ['Ann a@b.example', [['Ann', 'a@b.example']]],
    ['<@one.example,@two.example:a@b.example>', [[null, 'a@b.example']]],
    ['<<a@b.example>>', [[null, 'a@b.example']]],
    ['Ann <a@b.example', [['Ann', 'a@b.example']]],
    ['"Ann <a@b.example>', [['Ann', 'a@b.example']]],
    ['a@[IPv6:2001:db8::1]', [[null, 'a@[IPv6:2001:db8::1]']]],
    [
      'Shop, Inc. <s@b.example>, c@d.example',
      [
        ['Shop, Inc.', 's@b.example'],
        [null, 'c@d.example'],
      ],
    ],
    ['Just a name', [['Just a name', null]]],
    ['<>', [[null, null]]],
    ['a @ b.example', [[null, 'a@b.example']]],
    ["'Ann' <a@b.example>", [["'Ann'", 'a@b.example']]],
  ]
  for (const [value, addresses] of cases) {
    it(`reads ${value}`, () => assert.deepEqual(parse(value), addresses))
  }

  it('keeps a bounded number and notes the rest', () => {
    const defects = new DefectList()
    const list = parseAddressList('a@b.example,'.repeat(ADDRESSES_MAX + 1), defects)
    assert.equal(list.length, ADDRESSES_MAX)
    assert.deepEqual(defects.sentences(), ['A field has too many addresses; the rest is ignored.'])
  })

  it('reads any string', () => {
    const piece = fc.constantFrom(...'"<>()[],;:@\\ ab', '=?utf-8?Q?x?=', '\u0000', 'é')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        for (const [name, address] of parse(pieces.join(''))) {
          assert.notEqual(name, '')
          assert.notEqual(address, '')
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of ['"', '\\"', '(', '<', '<a@b>,', 'a@:', ':', '[', 'a "']) {
        parse(piece.repeat(Math.ceil(250_000 / piece.length)))
      }
    })
    assert.ok(elapsedMs < 5_000)
  })
})
