import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeCharset, decodeHeaderBytes } from './charset.ts'
import { DefectList } from './defects.ts'

const UNKNOWN = 'A part declares an unknown charset; windows-1252 is assumed.'
const BAD = 'A part contains bytes that are invalid in its charset.'

describe('charsets', () => {
  const cases: readonly (readonly [charset: string, hex: string, text: string, defect?: string])[] =
    [
      ['', '636166c3a9', 'café'],
      ['', '636166e9', 'café'],
      ['utf-8', 'efbbbf61', 'a'],
      ['UTF8', 'e282ac', '€'],
      ['utf-8', 'efbfbd', '\ufffd'],
      ['utf-8', 'e9', 'é', BAD],
      ['utf-8', 'c3a9e2', 'é\ufffd', BAD],
      ['us-ascii', '80', '€'],
      ['iso-8859-1', '80e9', '€é'],
      ['ISO_8859-2', 'b1', 'ą'],
      ['iso8859-15', 'a4', '€'],
      ['latin2', 'b1', 'ą'],
      ['windows-1251', 'cff0', 'Пр'],
      ['win-1251', 'cff0', 'Пр'],
      ['cp1251', 'cff0', 'Пр'],
      ['CP-866', '8fe0', 'Пр'],
      ['koi8-u', 'f0d2', 'Пр'],
      ['macintosh', '8e', 'é'],
      ['gb2312', 'c4e3', '你'],
      ['ms936', 'c4e3', '你'],
      ['big5', 'a741', '你'],
      ['shift_jis', '82a0', 'あ'],
      ['x-sjis', '82a0', 'あ'],
      ['eucjp', 'a4a2', 'あ'],
      ['iso-2022-jp', '1b244224221b2842', 'あ'],
      ['euc-kr', 'b0a1', '가'],
      ['cp949', 'b0a1', '가'],
      ['utf-16le', '61003a00', 'a:'],
      ['utf-16be', '0061003a', 'a:'],
      ['iso-2022-kr', '61', 'a', UNKNOWN],
      ['constructor', '61e9', 'aé', UNKNOWN],
      ['made-up', '61e9', 'aé', UNKNOWN],
    ]
  for (const [charset, hex, text, defect] of cases) {
    it(`reads ${hex} as ${charset || 'nothing in particular'}`, () => {
      const defects = new DefectList()
      assert.equal(decodeCharset(Buffer.from(hex, 'hex'), charset, defects), text)
      assert.deepEqual(defects.sentences(), defect === undefined ? [] : [defect])
    })
  }

  it('reads bytes of a header as UTF-8 or else as windows-1252', () => {
    assert.equal(decodeHeaderBytes(Buffer.from('c3a9', 'hex')), 'é')
    assert.equal(decodeHeaderBytes(Buffer.from('e9', 'hex')), 'é')
  })

  it('remembers a bounded number of names', () => {
    for (let index = 0; index < 1_000; index += 1) {
      assert.equal(decodeCharset(Buffer.from('a'), `name-${index}`, new DefectList()), 'a')
    }
    assert.equal(decodeCharset(Buffer.from('b0a1', 'hex'), 'windows-949', new DefectList()), '가')
  })
})
