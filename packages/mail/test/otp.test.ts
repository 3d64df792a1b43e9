import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOtp } from '../src/codes/find.ts'
import {
  type CorpusPart,
  detectCode,
  isRight,
  readCorpus,
  readTable,
  scoreOf,
} from './testing-otp-corpus.ts'
import { withSecondNumber } from './testing-second-numbers.ts'

const PRECISION_MIN = 0.99
const RECALL_MIN = 0.97

/** Of the codes with at least this confidence, at least this share is right. */
const SURE = 0.9
const SURE_RIGHT_MIN = 0.98

const MAILS_MIN = 400
const LANGUAGES_MIN = 35

/** Characters of a sentence that stays short with a second number. */
const SENTENCE_CHARS_MAX = 70

describe('the corpus', () => {
  const mails = [...readCorpus('tune'), ...readCorpus('measure')]

  it('is large, and half of it has no code', () => {
    const without = mails.filter(({ otp }) => otp === null).length
    assert.ok(mails.length >= MAILS_MIN)
    assert.ok(Math.abs(without / mails.length - 0.5) < 0.05, `${without} of ${mails.length}`)
  })

  it('is in many languages, with and without a code', () => {
    const languages = (hasCode: boolean) =>
      new Set(mails.filter(({ otp }) => (otp !== null) === hasCode).map(({ language }) => language))
    assert.ok(languages(true).size >= LANGUAGES_MIN)
    assert.ok(languages(false).size >= LANGUAGES_MIN)
  })
})

const parts: readonly CorpusPart[] = ['tune', 'measure']
for (const part of parts) {
  describe(`codes of the ${part} part`, () => {
    const results = readCorpus(part).map(detectCode)
    const { precision, recall } = scoreOf(results)
    const misses = results.filter((result) => !isRight(result)).map(({ mail }) => mail.file)

    it('are right where they are given', () => {
      assert.ok(precision >= PRECISION_MIN, `${precision}: ${misses.join(' ')}`)
    })

    it('are given where there are any', () => {
      assert.ok(recall >= RECALL_MIN, `${recall}: ${misses.join(' ')}`)
    })

    it('are as sure as they say', () => {
      const sure = scoreOf(results.filter(({ found }) => (found?.confidence ?? 0) >= SURE))
      assert.ok(sure.given > results.length / 4)
      assert.ok(sure.precision >= SURE_RIGHT_MIN, `${sure.right} of ${sure.given}`)
    })
  })
}

/** How often a part of the tables is judged right, and what is not. */
interface Share {
  readonly right: number
  readonly all: number
  readonly wrong: readonly string[]
}

function shareOf(verdicts: readonly (readonly [name: string, isRight: boolean])[]): Share {
  const wrong = verdicts.filter(([, isRight]) => !isRight).map(([name]) => name)
  return { right: verdicts.length - wrong.length, all: verdicts.length, wrong }
}

function assertShare({ right, all, wrong }: Share, least: number): void {
  assert.ok(all >= 100, `${all}`)
  assert.ok(right / all >= least, `${right} of ${all}; wrong: ${wrong.join(' | ')}`)
}

/** Sentences and labels without a mail around them: a few of them could mean either. */
const SENTENCES_MIN = 0.98
const LABELS_MIN = 0.97

/** A second number may change so many verdicts. */
const SECOND_NUMBERS_MIN = 0.97

describe('tables', () => {
  it('of sentences are judged right', () => {
    const verdicts = readTable('phrases.tsv').map(([language, value, sentence = '']) => {
      const expected = value === '-' ? null : value
      return [`${language}: ${sentence}`, inputOfPhrase(sentence) === expected] as const
    })
    assertShare(shareOf(verdicts), SENTENCES_MIN)
  })

  it('of sentences are judged alike with a second number that has a name', () => {
    const verdicts = readTable('phrases.tsv').flatMap(([language = '', value, sentence = '']) => {
      // More text would be another kind of mail: a short one need not say what its code is for.
      if (value === '-' || sentence.length > SENTENCE_CHARS_MAX) return []
      const longer = withSecondNumber(language, sentence.replaceAll('\\n', '\n'))
      return longer.map((text) => [text, codeOf('Your code', text) === value] as const)
    })
    assertShare(shareOf(verdicts), SECOND_NUMBERS_MIN)
  })

  it('of clear names are judged right under subjects about something else', () => {
    const verdicts = readTable('subjects.tsv').flatMap(([, text = '', ...subjects]) =>
      subjects.map((subject) => [`${subject}: ${text}`, codeOf(subject, text) === NUMBER] as const),
    )
    assertShare(shareOf(verdicts), LABELS_MIN)
  })

  it('of labels are judged right', () => {
    const verdicts = readTable('labels.tsv').flatMap(([, meaning, ...labels]) => {
      const expected = meaning === 'code' ? NUMBER : null
      return labels.map(
        (label) => [label, codeOf(null, `${label}: ${NUMBER}`) === expected] as const,
      )
    })
    assertShare(shareOf(verdicts), LABELS_MIN)
  })
})

const NUMBER = '593817'

function codeOf(subject: string | null, text: string): string | null {
  return findOtp({ subject, text, html: null }).otp?.value ?? null
}

/** A short first paragraph of a sentence is its subject. */
function inputOfPhrase(written: string): string | null {
  const phrase = written.replaceAll('\\n', '\n')
  const end = phrase.indexOf('\n\n')
  if (end <= 0 || end >= 80) return codeOf(null, phrase)
  return codeOf(phrase.slice(0, end), phrase.slice(end + 2))
}
