import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { candidatesOf } from '../../packages/mail/src/codes/candidates.ts'
import { type Evidence, evidenceOf } from '../../packages/mail/src/codes/evidence.ts'
import { type Line, linesOf } from '../../packages/mail/src/codes/lines.ts'
import { findHits, MailReader } from '../../packages/mail/src/codes/mail-reader.ts'
import { RELATIONS } from '../../packages/mail/src/codes/relations.ts'
import { CONCEPTS } from '../../packages/mail/src/codes/words/concepts.ts'
import { readHtml } from '../../packages/mail/src/html/read-html.ts'
import { parseMail } from '../../packages/mail/src/mime/parse-mail.ts'
import { BATCHES, type BatchMail, readBatch } from '../../packages/mail/test/testing-otp-batches.ts'
import { readCorpus, readTable } from '../../packages/mail/test/testing-otp-corpus.ts'
import { TRANSFORMATIONS } from '../../packages/mail/test/testing-otp-transformations.ts'
import { withSecondNumber } from '../../packages/mail/test/testing-second-numbers.ts'

/** Changes of a mail after which it must be judged alike, and how much each counts. */
const VARIATIONS: ReadonlyMap<string, number> = new Map([
  ['the text part alone', 2],
  ['the HTML alone', 1],
  ['subject "hello"', 4],
  ['no subject', 4],
  ['a footer', 1],
  ['a signature', 1],
  ['an order below', 1],
  ['an order above', 1],
  ['a ticket below', 1],
  ['an older mail below', 1],
  ['a phone above', 1],
  ['a preheader', 1],
])

/** One mail: the amounts of the facts of each value, and the index of the code, or -1. */
export interface Row {
  readonly group: string
  readonly language: string
  readonly otp: string | null
  readonly isOriginal: boolean
  /** The change of the mail, if it was changed. */
  readonly variation: string
  readonly weight: number
  readonly values: readonly string[]
  /** Where the facts of each value begin, and where those of the last end. */
  readonly starts: Int32Array
  readonly facts: Int32Array
  readonly amounts: Float64Array
  readonly target: number
}

type Parts = Pick<BatchMail, 'subject' | 'text' | 'html' | 'otp'>

export const ids = new Map<string, number>()

function idOf(fact: string): number {
  const known = ids.get(fact)
  if (known !== undefined) return known
  ids.set(fact, ids.size)
  return ids.size - 1
}

function amountsOf({
  meaning,
  lead,
  facts,
  relations,
}: Evidence): readonly (readonly [number, number])[] {
  const named = meaning.points / 4
  const amounts: [string, number][] = [
    ['any value', 1],
    ['a name for it', Math.max(0, named)],
    ['a name against it', Math.max(0, -named)],
    ['a better name than others', lead / 4],
    ...facts.map((fact): [string, number] => [fact, 1]),
  ]
  for (const [at, relation] of RELATIONS.entries()) {
    for (const [bit, concept] of CONCEPTS.entries()) {
      if (((relations[at] ?? 0) & (1 << bit)) !== 0) amounts.push([`${concept} ${relation}`, 1])
    }
  }
  return amounts.filter(([, amount]) => amount !== 0).map(([fact, amount]) => [idOf(fact), amount])
}

type Use = Pick<Row, 'group' | 'language' | 'weight' | 'isOriginal' | 'variation'>

function rowOf(mail: Parts, use: Use, isKnown?: (word: string) => boolean): Row {
  const lines = readLines(mail)
  const candidates = candidatesOf(lines)
  const found = evidenceOf(new MailReader(lines, candidates, isKnown), candidates)
  const amounts = found.map(amountsOf)
  const starts = new Int32Array(amounts.length + 1)
  for (const [at, all] of amounts.entries()) starts[at + 1] = (starts[at] ?? 0) + all.length
  return {
    ...use,
    otp: mail.otp,
    values: found.map(({ value }) => value),
    starts,
    facts: Int32Array.from(amounts.flat(), ([id]) => id),
    amounts: Float64Array.from(amounts.flat(), ([, amount]) => amount),
    target: found.findIndex(({ value }) => value === mail.otp),
  }
}

function readLines({ subject, text, html }: Parts): readonly Line[] {
  return linesOf({ subject, text, html: html === null ? null : readHtml(html) })
}

function useOf(group: string, { language }: BatchMail): Use {
  const [own = ''] = language.split('-', 1)
  return { group, language: own, isOriginal: true, variation: '', weight: 0.5 }
}

function originalOf(group: string, mail: BatchMail): Row {
  return rowOf(mail, useOf(group, mail))
}

/** A mail as it is, changed, and with words that the tables do not have. */
function rowsOf(
  group: string,
  mail: BatchMail,
  words: ReadonlyMap<string, number>,
): readonly Row[] {
  const varied = TRANSFORMATIONS.flatMap(({ name, apply }) => {
    const share = VARIATIONS.get(name)
    const changed = share === undefined ? null : apply(mail)
    return changed === null || share === undefined ? [] : [{ name, share, changed }]
  })
  const shares = varied.reduce((sum, { share }) => sum + share, 0)
  const use = { ...useOf(group, mail), isOriginal: false }
  return [
    originalOf(group, mail),
    ...varied.map(({ name, share, changed }) =>
      rowOf(changed, { ...use, variation: name, weight: (VARIED_WEIGHT * share) / shares }),
    ),
    ...DRAWS.map((draw) =>
      rowOf(mail, { ...use, weight: UNKNOWN_WEIGHT / DRAWS.length }, (word) =>
        isDrawnKnown(
          `${draw}${mail.file}${word.toLowerCase()}`,
          words.get(word.toLowerCase()) ?? 1,
        ),
      ),
    ),
  ]
}

/** The weight of all variations of a mail together: verdicts must hold still. */
const VARIED_WEIGHT = 8

/** The weight of a mail with unknown words: the next mail has some. */
const UNKNOWN_WEIGHT = 2

/** How often words are drawn that a mail is read without. */
const DRAWS = ['a', 'b', 'c'] as const

/** The share of words that is unknown, by the number of mails that they are in: rare ones first. */
const UNKNOWN_SHARES = [
  [1, 0.5],
  [3, 0.3],
  [8, 0.15],
  [20, 0.06],
  [Number.POSITIVE_INFINITY, 0.02],
] as const

/**
 * Whether a word counts as known. The tables have nearly all words of these mails, because they
 * were extended with them; they do not have all words of the next mail.
 */
function isDrawnKnown(draw: string, mails: number): boolean {
  const share = UNKNOWN_SHARES.find(([most]) => mails <= most)?.[1] ?? 0
  return createHash('sha1').update(draw).digest().readUInt32LE() / 2 ** 32 >= share
}

/** In how many mails each word of the tables is. */
function countWords(mails: readonly BatchMail[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const mail of mails) {
    const words = readLines(mail).flatMap(({ text }) =>
      findHits(text).map(({ start, end }) => text.slice(start, end).toLowerCase()),
    )
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

function corpusMails(part: 'tune' | 'measure'): readonly BatchMail[] {
  return readCorpus(part).map(({ raw, file, language, kind, otp }) => {
    const { subject, text, html } = parseMail(raw)
    return { file, language, kind, otp, subject, text, html, from: '', links: [] }
  })
}

/** The mails that have been learned from, by batch. */
function readGroups(): readonly (readonly [string, readonly BatchMail[]])[] {
  return [
    ...BATCHES.map((batch) => [basename(batch.pathname).slice(0, 2), readBatch(batch)] as const),
    ['tune', corpusMails('tune')],
    ['measure', corpusMails('measure')],
  ]
}

/** All mails that have been learned from. */
export function readAll(): readonly Row[] {
  const groups = readGroups()
  const words = countWords(groups.flatMap(([, mails]) => mails))
  return [
    ...groups.flatMap(([group, mails]) => mails.flatMap((mail) => rowsOf(group, mail, words))),
    ...phraseRows(),
  ]
}

/** All mails as they are, and the sentences. */
export function originalRows(): readonly Row[] {
  const mails = readGroups().flatMap(([group, all]) => all.map((mail) => originalOf(group, mail)))
  return [...mails, ...phraseRows()]
}

/** The code of most sentences, and another that must be found as well. */
const DIGITS = '593817'
const LETTERS = 'K7QX2M'

/** The sentences and labels of the tests. */
function phraseRows(): readonly Row[] {
  const rows: Row[] = []
  const line = (text: string, otp: string | null): Parts => ({
    subject: null,
    text,
    html: null,
    otp,
  })
  const phraseOf = (language: string, otp: string | null) =>
    ({
      group: 'phrases',
      language,
      weight: otp === null ? OTHER_PHRASE_WEIGHT : CODE_PHRASE_WEIGHT,
      isOriginal: false,
      variation: '',
    }) as const
  for (const [language = '', value = '', sentence = ''] of readTable('phrases.tsv')) {
    const text = sentence.replaceAll('\\n', '\n')
    const otp = value === '-' ? null : value
    const phrase = phraseOf(language, otp)
    rows.push(rowOf(line(text, otp), phrase))
    const [subject = '', ...rest] = text.split('\n\n')
    const body = rest.join('\n\n')
    // The code is in the body, or in the subject alone.
    const isOneOf = otp === null || !subject.includes(otp) || !body.includes(otp)
    if (rest.length > 0 && isOneOf) {
      const mail = { subject, text: body, html: null, otp }
      rows.push(rowOf(mail, { ...phrase, weight: phrase.weight / 2 }))
      rows.push(
        rowOf(mail, phrase, (word) => isDrawnKnown(`${text}${word.toLowerCase()}`, PHRASE_MAILS)),
      )
    }
    if (otp === null) continue
    const longer = withSecondNumber(language, text)
    const weight = phrase.weight / longer.length
    for (const one of longer) rows.push(rowOf(line(one, otp), { ...phrase, weight }))
    if (!text.includes(DIGITS)) continue
    rows.push(rowOf(line(text.replace(DIGITS, LETTERS), LETTERS), phrase))
  }
  for (const [language = '', meaning = '', ...labels] of readTable('labels.tsv')) {
    const otp = meaning === 'code' ? DIGITS : null
    const phrase = phraseOf(language, otp)
    for (const label of labels) {
      rows.push(rowOf(line(`${label}: ${DIGITS}`, otp), phrase))
      rows.push(rowOf(letterOf(label, otp), { ...phrase, weight: phrase.weight / 4 }))
    }
  }
  for (const [language = '', text = '', ...subjects] of readTable('subjects.tsv')) {
    const phrase = { ...phraseOf(language, DIGITS), weight: SUBJECT_WEIGHT }
    for (const subject of subjects) rows.push(rowOf({ ...line(text, DIGITS), subject }, phrase))
  }
  return rows
}

/** One sentence with a code is all that many tests send. */
const CODE_PHRASE_WEIGHT = 12
const OTHER_PHRASE_WEIGHT = 7

/** A sentence with a code under one of several subjects. */
const SUBJECT_WEIGHT = 3

/** A label in a mail that says nothing else. */
function letterOf(label: string, otp: string | null): Parts {
  const text = `Hi Sam,\n${label}: ${DIGITS}\nThanks, and see you soon`
  return { subject: 'Hello', text, html: null, otp }
}

/** The words of a sentence are as often unknown as those of so many mails. */
const PHRASE_MAILS = 8
