import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BIT, bitsOf, CONCEPTS, type Concept } from './concepts.ts'
import { entriesOf, readWords } from './dictionary.ts'
import { foldWord } from './fold.ts'
import { findHits } from './hits.ts'

const LANGUAGES_MIN = 45

interface Entry {
  readonly language: string
  readonly concept: Concept
  readonly entry: string
}

/** Of languages; the other files are for all languages together. */
const WORDS = new Map([...readWords()].filter(([name]) => !name.startsWith('all-')))

const CODE_LIKE = bitsOf('code', 'compound', 'otp', 'pin', 'password')
const OTHERWISE = bitsOf(
  ...(['backup', 'promo', 'place', 'meeting', 'ending', 'contact', 'tech', 'money'] as const),
  ...(['owner', 'naming', 'thing'] as const),
)

const ENTRIES: readonly Entry[] = [...WORDS].flatMap(([language, rows]) =>
  CONCEPTS.flatMap((concept) =>
    entriesOf(rows[concept]).map((entry) => ({ language, concept, entry })),
  ),
)

function meaningsOf(text: string): readonly Concept[] {
  let bits = 0
  for (const { concepts } of findHits(text)) bits |= concepts
  return CONCEPTS.filter((concept) => (bits & BIT[concept]) !== 0)
}

describe('the word tables', () => {
  it('have many languages', () => assert.ok(WORDS.size >= LANGUAGES_MIN))

  it('say code and password in each of them', () => {
    for (const [language, rows] of WORDS) {
      assert.ok(rows.code !== undefined && rows.otp !== undefined, language)
    }
  })

  it('find the word for code in a phrase', () => {
    for (const phrase of ['mit diesem Code', 'этот код', 'aquest codi', 'ezt a kódot', 'این کد']) {
      assert.ok(meaningsOf(phrase).includes('code'), phrase)
    }
  })

  it('have marks only before and after a word', () => {
    const odd = ENTRIES.filter(({ entry }) => !/^[*^]?[^*^]+\*?$/.test(entry))
    assert.deepEqual(odd, [])
  })

  it('leave the ending open only after enough letters', () => {
    const short = ENTRIES.filter(({ entry }) => /^[a-z]{1,2}\*$/.test(foldWord(entry)))
    assert.deepEqual(short, [])
  })

  it('never have one word both for and against a code', () => {
    const bits = new Map<string, number>()
    for (const { concept, entry } of ENTRIES) {
      const word = foldWord(entry.replaceAll(/[*^]/g, ''))
      bits.set(word, (bits.get(word) ?? 0) | BIT[concept])
    }
    const torn = [...bits].filter(([, all]) => (all & CODE_LIKE) !== 0 && (all & OTHERWISE) !== 0)
    assert.deepEqual(torn, [])
  })
})

describe('words in a text', () => {
  const texts: readonly (readonly [string, string, readonly Concept[]])[] = [
    ['accents', 'Código de VERIFICACIÓN', ['otp']],
    ['accents set apart', 'co\u0301digo', ['code']],
    ['capitals without accents', 'ΚΩΔΙΚΟΣ', ['code']],
    ['a dotted capital', 'GİRİŞ KODUNUZ', ['otp']],
    ['endings', 'Kodunuzdan', ['code']],
    ['compounds', 'Wanderwegcode', ['compound']],
    ['compounds of a known kind', 'Gutscheincode', ['compound', 'promo']],
    ['hyphens and spaces alike', 'one-time  passcode', ['otp']],
    ['glued articles', 'والرمز', ['code']],
    ['glued prepositions', 'והקוד', ['code']],
    ['words without spaces', '请勿泄露验证码', ['otp', 'keep']],
    ['non-joiners', 'رمز یک‌بار مصرف', ['otp']],
    ['tones that make the word', 'của', []],
    ['no word inside another', 'shopping decoder', []],
    ['no word of an address', 'code.example/coupon jo.code@pin.example https://otp.example', []],
    ['capitals where they are asked for', 'TAN tan', ['otp']],
  ]
  for (const [name, text, expected] of texts) {
    it(name, () => assert.deepEqual(meaningsOf(text), expected))
  }
})
