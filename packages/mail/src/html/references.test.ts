import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import fc from 'fast-check'
import { HtmlSource } from './html-source.ts'
import { decodeAttribute, decodeText } from './references.ts'

describe('character references', () => {
  const pieces =
    '& ; # amp nbsp lt gt quot AMP notin x27 a 39 0 128 160 8211 55296 65535 &#39; &amp;'
  const text = fc.array(fc.constantFrom(' ', ...pieces.split(' ')), { maxLength: 12 })

  it('are decoded as by the library', () => {
    fc.assert(
      fc.property(text, (parts) => {
        const written = parts.join('')
        assert.equal(decodeText(written), decodeHTML(written))
        assert.equal(decodeAttribute(written), decodeHTMLAttribute(written))
      }),
      { numRuns: 5_000 },
    )
  })

  it('may be any number', () => {
    for (let code = 0; code <= 0x1_00ff; code += 1) {
      assert.equal(decodeText(`a&#${code};b`), decodeHTML(`a&#${code};b`))
    }
  })
})

describe('a piece of HTML', () => {
  it('is the text that it was encoded from, whatever its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const source = new HtmlSource(`${text}€`)
        assert.equal(source.widen(source.chars), `${text}€`)
      }),
      { numRuns: 2_000 },
    )
  })
})
