import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { DefectList } from './defects.ts'
import { decodeTransfer, transferEncoding } from './transfer-encoding.ts'

type Row = readonly [encoded: string, decoded: string, isSound: boolean]

function check(encoding: 'base64' | 'quoted-printable', rows: readonly Row[]): void {
  for (const [encoded, decoded, isSound] of rows) {
    it(`decodes ${JSON.stringify(encoded)}`, () => {
      const defects = new DefectList()
      const bytes = decodeTransfer(Buffer.from(encoded, 'latin1'), encoding, defects)
      assert.equal(bytes.toString('latin1'), decoded)
      assert.equal(defects.sentences().length === 0, isSound)
    })
  }
}

describe('quoted-printable', () => {
  check('quoted-printable', [
    ['', '', true],
    ['a=3Db', 'a=b', true],
    ['a=3db=C3=a9', 'a=b\xc3\xa9', true],
    ['soft=\r\nbreak', 'softbreak', true],
    ['soft=\nbreak', 'softbreak', true],
    ['soft= \t\r\nbreak', 'softbreak', true],
    ['soft=', 'soft', true],
    ['trailing  \t\r\nspace ', 'trailing\r\nspace', true],
    ['kept=20\r\nspace', 'kept \r\nspace', true],
    ['kept =\r\nspace', 'kept space', true],
    ['a=b', 'a=b', false],
    ['a=4', 'a=4', false],
    ['a==41', 'a=A', false],
    ['\xe9', '\xe9', true],
  ])

  it('gives back what any encoder wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const encoded = [...bytes].map((byte) => `=${byte.toString(16).padStart(2, '0')}`)
        const decoded = decodeTransfer(Buffer.from(encoded.join('=\r\n')), 'quoted-printable')
        assert.deepEqual(decoded, Buffer.from(bytes))
      }),
    )
  })
})

describe('base64', () => {
  check('base64', [
    ['', '', true],
    ['SGVsbG8=', 'Hello', true],
    ['SGVs\r\nbG8=\r\n', 'Hello', true],
    ['SGVsbG8', 'Hello', true],
    ['SGVs!bG8=', 'Hello', false],
    ['SGVsbG8=SGVsbG8=', 'HelloHello', false],
    ['SGVsbG8=\r\nSGVsbG8=\r\n', 'HelloHello', false],
    ['SGVsbG8=\r\n-- footer --', 'Hello', false],
    ['====', '', true],
  ])

  it('notes damage in a large part without checking every valid one', () => {
    const damaged = `${'QUJD'.repeat(2_000)}${'*'.repeat(2_000)}`
    const defects = new DefectList()
    assert.equal(decodeTransfer(Buffer.from(damaged), 'base64', defects).length, 6_000)
    assert.deepEqual(defects.sentences(), ['A part contains invalid base64.'])
  })

  it('takes linear time for padding alone', () => {
    const elapsedMs = workedMs(() => {
      decodeTransfer(Buffer.from('A='.repeat(500_000)), 'base64', new DefectList())
    })
    assert.ok(elapsedMs < 5_000)
  })
})

describe('transfer encodings', () => {
  const cases: readonly (readonly [value: string | null, encoding: string, isKnown: boolean])[] = [
    [null, 'identity', true],
    ['', 'identity', true],
    ['7bit', 'identity', true],
    ['8BIT', 'identity', true],
    ['binary', 'identity', true],
    ['Base64', 'base64', true],
    ['"base64"', 'base64', true],
    ['base64 (as usual)', 'base64', true],
    ['quoted-printable;', 'quoted-printable', true],
    ['uuencode', 'identity', false],
  ]
  for (const [value, encoding, isKnown] of cases) {
    it(`knows ${value}`, () => {
      const defects = new DefectList()
      assert.equal(transferEncoding(value, defects), encoding)
      assert.equal(defects.sentences().length === 0, isKnown)
    })
  }
})
