import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HEADERS_MAX } from '../limits.ts'
import { DefectList } from './defects.ts'
import { findField, readHeaders } from './headers.ts'

function read(text: string) {
  const raw = Buffer.from(text, 'latin1')
  const defects = new DefectList()
  const { fields, bodyStart } = readHeaders(raw, { start: 0, end: raw.length }, defects)
  return {
    fields: fields.map(({ name, value }) => [name, value]),
    body: raw.toString('latin1', bodyStart),
    defects: defects.sentences(),
  }
}

const NO_SEPARATOR = 'The header is not separated from the body by an empty line.'

describe('headers', () => {
  it('end at the first empty line', () => {
    assert.deepEqual(read('A: 1\r\nB: 2\r\n\r\nbody\r\n\r\nmore'), {
      fields: [
        ['A', '1'],
        ['B', '2'],
      ],
      body: 'body\r\n\r\nmore',
      defects: [],
    })
  })

  it('may be empty', () => {
    assert.deepEqual(read('\r\nbody'), { fields: [], body: 'body', defects: [] })
    assert.deepEqual(read('\nbody'), { fields: [], body: 'body', defects: [] })
  })

  it('may have no body', () => {
    assert.deepEqual(read('A: 1\r\n'), { fields: [['A', '1']], body: '', defects: [] })
    assert.deepEqual(read('A: 1'), { fields: [['A', '1']], body: '', defects: [] })
  })

  it('end at a line that is no field', () => {
    const { fields, body, defects } = read('A: 1\nnot a field: x\nmore\n\nlast')
    assert.deepEqual(
      [fields, body, defects],
      [[['A', '1']], 'not a field: x\nmore\n\nlast', [NO_SEPARATOR]],
    )
  })

  it('unfold', () => {
    assert.deepEqual(read('A: one\r\n two\r\n\tthree\r\nB:x\n\n').fields, [
      ['A', 'one two three'],
      ['B', 'x'],
    ])
  })

  it('keep the last byte of UTF-8 that looks like a space', () => {
    assert.deepEqual(read(`A:  voil\xc3\xa0\r\n\r\n`).fields, [['A', 'voilà']])
  })

  it('are read in any size up to the bound', () => {
    const filler = `X: ${'a'.repeat(70)}\r\n`.repeat(100)
    const { fields, body } = read(`${filler}Last: 1\r\n\r\nbody`)
    assert.equal(fields.length, 101)
    assert.equal(body, 'body')
  })

  it('are bounded in number', () => {
    const { fields, body, defects } = read(`${'A: 1\r\n'.repeat(HEADERS_MAX + 5)}\r\nbody`)
    assert.equal(fields.length, HEADERS_MAX)
    assert.equal(body, 'body')
    assert.deepEqual(defects, ['The header has too many fields; the rest is ignored.'])
  })

  it('are bounded in size', () => {
    const long = `A: ${'x'.repeat(300_000)}\r\nB: 1\r\n\r\nbody`
    const { fields, body, defects } = read(long)
    assert.equal(fields.length, 1)
    assert.equal(body, 'body')
    assert.deepEqual(defects, ['The header is too large; the rest is ignored.'])
  })

  it('are found by name in any case', () => {
    const fields = [
      { name: 'SUBJECT', value: 'a' },
      { name: 'Subject', value: 'b' },
    ]
    assert.equal(findField(fields, 'subject'), 'a')
    assert.equal(findField(fields, 'from'), null)
  })
})
