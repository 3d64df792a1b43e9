import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { DefectList } from './defects.ts'
import { parseParameterised } from './parameters.ts'

function parse(text: string) {
  const { value, parameters } = parseParameterised(text, new DefectList())
  return [value, Object.fromEntries(parameters)]
}

describe('parameters', () => {
  const cases: readonly (readonly [text: string, value: string, parameters: object])[] = [
    ['text/plain', 'text/plain', {}],
    ['Text/PLAIN', 'text/plain', {}],
    ['text/plain;', 'text/plain', {}],
    ['text/plain; charset=utf-8', 'text/plain', { charset: 'utf-8' }],
    ['text/plain;charset="utf-8"', 'text/plain', { charset: 'utf-8' }],
    ['text/plain; CHARSET = "utf-8" ; x = y', 'text/plain', { charset: 'utf-8', x: 'y' }],
    ['text/plain (note); charset=utf-8', 'text/plain', { charset: 'utf-8' }],
    ['a; name="x;y=z"', 'a', { name: 'x;y=z' }],
    ['a; name="x\\"y\\\\z"', 'a', { name: 'x"y\\z' }],
    ['a; name="C:\\dir\\file"', 'a', { name: 'C:\\dir\\file' }],
    ['a; name="never closed', 'a', { name: 'never closed' }],
    ['a; name=with space; x=1', 'a', { name: 'with space', x: '1' }],
    ['a; name=1; name=2', 'a', { name: '1' }],
    ['a; flag; name=1', 'a', { name: '1' }],
    ['a; =x; name=1', 'a', { name: '1' }],
    ['a; name="=?utf-8?Q?=C3=BC?="', 'a', { name: 'ü' }],
    ["a; name*=utf-8''%C3%BC", 'a', { name: 'ü' }],
    ["a; name*=''plain", 'a', { name: 'plain' }],
    ['a; name*=no%20charset', 'a', { name: 'no charset' }],
    ["a; name*=iso-8859-1'en'%FC%zz", 'a', { name: 'ü%zz' }],
    ["a; name*0*=utf-8''%C3; name*1*=%BC", 'a', { name: 'ü' }],
    ["a; name*1=b; name*0*=utf-8''%C3%BC; name*2=%41", 'a', { name: 'üb%41' }],
    ['a; name*0=a; name*2=c', 'a', { name: 'a' }],
    ["a; name=plain; name*=utf-8''ext", 'a', { name: 'ext' }],
    ["a; name*=no-such'x'%E9", 'a', { name: 'é' }],
    ['', '', {}],
    [';;;=', '', {}],
  ]
  for (const [text, value, parameters] of cases) {
    it(`of ${text}`, () => assert.deepEqual(parse(text), [value, parameters]))
  }

  it('are read from any string', () => {
    const piece = fc.constantFrom(
      ...['a', ';', '=', '"', '\\', '*', '0', "'", '%', '41', ' ', '=?a?q?b?='],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        assert.equal(parse(`x/y; ${pieces.join('')}`)[0], 'x/y')
      }),
      { numRuns: 2_000 },
    )
  })

  it('take linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of [';', 'a;', '=', '"', 'a="\\', 'a*1=b;', '; ']) {
        parse(piece.repeat(Math.ceil(250_000 / piece.length)))
      }
    })
    assert.ok(elapsedMs < 5_000)
  })
})
