import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules, visitDeclarations, withoutComments } from './css-syntax.ts'

function declarationsOf(css: string): readonly string[] {
  const found: string[] = []
  visitDeclarations(css, (property, value) => found.push(`${property}=${value.trim()}`))
  return found
}

describe('declarations', () => {
  const cases: readonly (readonly [css: string, declarations: readonly string[]])[] = [
    ['', []],
    ['color: red; ;margin:0;', ['color=red', 'margin=0']],
    ['a;b:c', ['b=c']],
    [':red;Color:RED', ['Color=RED']],
    [
      'background:url(data:image/png;base64,AA==);x:y',
      [...['background=url(data:image/png;base64,AA==)', 'x=y']],
    ],
    [`font:"a;b:c";x:';';y:z`, ['font="a;b:c"', `x=';'`, 'y=z']],
    ['a:url(never;closed:b', ['a=url(never;closed:b']],
  ]
  for (const [css, expected] of cases) {
    it(`of ${css}`, () => assert.deepEqual(declarationsOf(css), expected))
  }
})

describe('rules', () => {
  const cases: readonly (readonly [css: string, rules: readonly string[]])[] = [
    ['a{b:c} .d , e {}', ['a|b:c', '.d , e|']],
    ['@import x; @charset "y";\na{b:c}', ['a|b:c']],
    ['@media print{a{b:c}d{}}e{f', ['@media print|a{b:c}d{}', 'e|f']],
    // No selector for browsers either.
    [';a{b:c}', [';a|b:c']],
    ['a{b{c}', ['a|b{c}']],
    ['a:b', []],
  ]
  for (const [css, expected] of cases) {
    it(`of ${JSON.stringify(css)}`, () => {
      const found = [...rules(css)].map(({ prelude, block }) => `${prelude}|${block}`)
      assert.deepEqual(found, expected)
    })
  }
})

describe('comments', () => {
  it('are spaces, and end with the sheet', () => {
    assert.equal(withoutComments('a/*;*/b<!--c--> /* d'), 'a b c   ')
  })
})
