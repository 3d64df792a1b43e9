import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { candidatesOf } from './candidates.ts'
import { linesOf } from './lines.ts'
import { MailReader } from './mail-reader.ts'
import { isLabelledOtherwise, isOfUnknown } from './open-labels.ts'

/** What is found out about the label of 593817 in a text. */
function labelIn(text: string): { readonly isOther: boolean; readonly isOfUnknown: boolean } {
  const lines = linesOf({ subject: null, text, html: null })
  const candidates = candidatesOf(lines)
  const mail = new MailReader(lines, candidates)
  const candidate = candidates.find(({ value }) => value === '593817')
  assert.ok(candidate)
  return {
    isOther: isLabelledOtherwise(mail, candidate),
    isOfUnknown: isOfUnknown(mail, candidate),
  }
}

describe('a label with a colon means something else than a code', () => {
  const texts: readonly (readonly [string, boolean])[] = [
    ['Suceso: 593817', true],
    ['Suceso:\n\n593817', true],
    ['Your code: 593817', false],
    ['Enter this: 593817', false],
    ['Your code is below. Harbour: 593817', true],
    ['Suceso 593817', false],
    ['593817', false],
  ]
  for (const [text, expected] of texts) {
    it(text, () => assert.equal(labelIn(text).isOther, expected))
  }
})

describe('a word for code has an unknown noun beside it', () => {
  const texts: readonly (readonly [string, boolean])[] = [
    ['Wombat code: 593817', true],
    ['Wombat code: 593817\n\nWombat', false],
    ['Codice ornitorinco: 593817', true],
    ['水族館コード：593817', true],
    ['Your code: 593817', false],
    ['Your personal code: 593817', false],
    ['Your code is 593817. See https://example.com/x', false],
    ['Your Harbor code is 593817', false],
    ['आपका कोड 593817 है', false],
    ['귀하의 코드: 593817', false],
    ['Code: 593817', false],
    ['593817', false],
  ]
  for (const [text, expected] of texts) {
    it(text, () => assert.equal(labelIn(text).isOfUnknown, expected))
  }
})
