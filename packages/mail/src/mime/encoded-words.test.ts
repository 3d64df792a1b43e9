import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { DefectList } from './defects.ts'
import { decodeEncodedWords } from './encoded-words.ts'

const BROKEN = 'An encoded word cannot be decoded.'
const UNKNOWN = 'A part declares an unknown charset; windows-1252 is assumed.'

describe('encoded words', () => {
  const cases: readonly (readonly [value: string, text: string, ...defects: string[]])[] = [
    ['plain', 'plain'],
    ['=?utf-8?Q?caf=C3=A9?=', 'café'],
    ['=?UTF-8?b?Y2Fmw6k=?=', 'café'],
    ['=?utf-8?Q?a_b=5F?=', 'a b_'],
    ['=?utf-8?Q?a?= =?utf-8?Q?b?=', 'ab'],
    ['=?utf-8?Q?a?=\t =?utf-8?B?Yg==?=', 'ab'],
    ['=?utf-8?Q?a?= b =?utf-8?Q?c?=', 'a b c'],
    ['x=?utf-8?Q?a?=y', 'xay'],
    ['=?utf-8?Q?=E2=82?= =?utf-8?Q?=AC?=', '€'],
    ['=?utf-8?B?4oI=?= =?utf-8?B?rA==?=', '€'],
    ['=?utf-8?B?4oI?= =?utf-8?B?rA?=', '€'],
    ['=?iso-8859-1*en?Q?=A3?=', '£'],
    ['=?windows-1252?Q?=80?=', '€'],
    ['=?gb2312?B?xOO6ww==?=', '你好'],
    ['=?iso-2022-jp?B?GyRCJCIbKEI=?=', 'あ'],
    ['=?utf-8?Q?space in it?=', 'space in it'],
    ['=?utf-8?Q??=', ''],
    ['=?utf-8?X?a?=', '=?utf-8?X?a?='],
    ['=?utf-8?Q?never', '=?utf-8?Q?never', BROKEN],
    ['=?no-such?Q?caf=E9?=', 'café', UNKNOWN],
    ['=?utf-8?Q?bad=ZZ?=', 'bad=ZZ'],
    ['=?utf-8?Q?=00=0A?=', ' '],
    ['1 =? 2 ?= 3', '1 =? 2 ?= 3'],
  ]
  for (const [value, text, ...sentences] of cases) {
    it(`decodes ${value}`, () => {
      const defects = new DefectList()
      assert.equal(decodeEncodedWords(value, defects), text)
      assert.deepEqual(defects.sentences(), sentences)
    })
  }

  it('takes linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of ['=?', '=?a', '=?a?b?', '=?utf-8?Q?', '=?a?q?b?= ', '=?a?b?====']) {
        decodeEncodedWords(piece.repeat(Math.ceil(250_000 / piece.length)), new DefectList())
      }
    })
    assert.ok(elapsedMs < 5_000)
  })
})
