import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { unwrapFlowed } from './flowed.ts'

describe('format=flowed', () => {
  const cases: readonly (readonly [text: string, delSp: boolean, unwrapped: string])[] = [
    ['', false, ''],
    ['a\nb', false, 'a\nb'],
    ['a \nb', false, 'a b'],
    ['a \nb \nc\nd', false, 'a b c\nd'],
    ['a \nb', true, 'ab'],
    ['a  \nb', true, 'a b'],
    ['> a \n> b', false, '> a b'],
    ['> a \n>> b', false, '> a \n>> b'],
    ['>a \nb', false, '> a \nb'],
    [' >not a quote', false, '>not a quote'],
    [' From x', false, 'From x'],
    ['text \n-- \nsig', false, 'text \n-- \nsig'],
    ['-- \nsig', true, '-- \nsig'],
    ['a \n\nb', false, 'a \nb'],
  ]
  for (const [text, delSp, unwrapped] of cases) {
    it(`unwraps ${JSON.stringify(text)}${delSp ? ' with DelSp' : ''}`, () => {
      assert.equal(unwrapFlowed(text, delSp), unwrapped)
    })
  }

  it('joins the lines of the beginning of a huge text, and keeps the others', () => {
    const text = `${'a \n'.repeat(1_000_000)}end`
    const unwrapped = unwrapFlowed(text, false)
    assert.ok(unwrapped.startsWith('a a a ') && unwrapped.endsWith('a \na \nend'))
    assert.equal(unwrapped.replaceAll('\n', ''), text.replaceAll('\n', ''))
    assert.equal(unwrapFlowed('a '.repeat(1_000_000), true), 'a '.repeat(1_000_000))
  })

  it('takes linear time', () => {
    const elapsedMs = workedMs(() => {
      unwrapFlowed('a \n'.repeat(500_000), true)
      unwrapFlowed(`${'>'.repeat(500_000)}a \n`.repeat(2), false)
    })
    assert.ok(elapsedMs < 5_000)
  })
})
