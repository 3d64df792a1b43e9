// Fits the weights by which codes are judged; writes packages/mail/src/codes/weights.ts.
//
//   node_modules/.bin/node bench/fit-codes.ts [--check | --check-languages]
//
// With --check it leaves out each batch in turn, with --check-languages each of eight groups of
// languages; it prints how they are judged, and writes nothing.
//
// A mail has one code or none: its values compete with "none", whose score is 0, in one softmax.
// Weights are pulled towards those that were set by hand (PRIORS), so that a fact that few mails
// have keeps its weight. No random numbers: the same mails give the same weights.

import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { candidatesOf } from '../packages/mail/src/codes/candidates.ts'
import { type Evidence, evidenceOf } from '../packages/mail/src/codes/evidence.ts'
import { CONFIDENCE_MIN } from '../packages/mail/src/codes/find.ts'
import { linesOf } from '../packages/mail/src/codes/lines.ts'
import { MailReader } from '../packages/mail/src/codes/mail-reader.ts'
import { RELATIONS } from '../packages/mail/src/codes/relations.ts'
import { CONCEPTS } from '../packages/mail/src/codes/words/concepts.ts'
import { readHtml } from '../packages/mail/src/html/read-html.ts'
import { parseMail } from '../packages/mail/src/mime/parse-mail.ts'
import { BATCHES, type BatchMail, readBatch } from '../packages/mail/test/testing-otp-batches.ts'
import { readCorpus, readTable } from '../packages/mail/test/testing-otp-corpus.ts'
import { TRANSFORMATIONS } from '../packages/mail/test/testing-otp-transformations.ts'

/** Weights set by hand. Others begin at 0. */
const PRIORS: Readonly<Record<string, number>> = {
  'a percentage, not secret': -1,
  'an amount, nothing to enter': -2,
  'a sequence of digits in a mail with examples': -2,
  'any value': -3.3,
  'several amounts, no verb of entering': -1.5,
  'a masked number, no verb of entering': -1,
  'several amounts, nothing to enter': -1.5,
  'several amounts, not secret': -0.5,
  'a masked number, nothing to enter': -2.5,
  'one of several labelled values, nothing to enter': -1,
  'a name for it': 4.2,
  'a name against it': -4.2,
  'nothing calls it a code': -2,
  'a word that nothing beside it calls a code': -4,
  'one of a list': -5,
  'called something else in another place': -3,
  'a year': -4,
  'could be a year': -0.8,
  'a price': -7,
  'a phone number': -7,
  'a date': -4,
  'could be a date': -0.8,
  'a length of time': -6,
  'a measure or a time': -5,
  'the last digits of a card or phone number': -6,
  'a colour': -6,
  'behind a number sign': -2.5,
  'a postal code': -4,
  'a copyright line': -6,
  'the number of a document': -2.5,
  'a word with a number, as coupons are': -3.5,
  'in quoted speech': -5,
  'in a quoted mail': -5,
  'a field of JSON': -5,
  'the text of a link': -2,
  'expired or used': -5,
  'only an example': -5,
  'sent another way': -2.5,
  'letters and digits mixed': 0.4,
  'reads like a word': -3,
  'letters alone': -0.4,
  'six digits': 0.3,
  'many digits': -1,
  words: -0.5,
  'one cell or line for each character': 1.2,
  'stands alone': 1.2,
  large: 0.7,
  'letters spaced': 0.5,
  bold: 0.3,
  monospaced: 0.4,
  centred: 0.3,
  'the subject is about a code or signing in': 0.7,
  'the mail is about signing in': 0.3,
  'to be kept secret, or ignored': 0.5,
  'said to expire': 0.4,
  'the code has expired': -4,
  'a mail about codes': -2,
  'recovery codes': -4,
  'entered in a mail about signing in': 0.8,
  'the subject is about something else': -2.5,
  'the subject is also about something else': -1,
  'a code was sent another way': -1,
  'the mail is about a meeting': -2,
  'the mail is about a purchase': -1,
  'the mail is about other matters': -1.2,
  'the mail is about offers': -1.2,
  'the mail is mostly about other matters': -1,
  'the mail has a code that expires, but does not speak of signing in': -0.5,
  'the short mail does not speak of signing in': -0.8,
  'the mail does not speak of signing in': -2,
  'in the preview text alone': -0.8,
  'in the preview text, others are visible': -3,
  'not to be seen': -6,
  'in subject and body': 1.2,
  'in the preview text': 0.5,
}

/** How strongly a weight is pulled towards the one set by hand. */
const PULL = 1

const STEPS = 200
const STEP = 0.05

/** The least weight of a fact with a weight set by hand: it keeps its sign. */
const NATURAL_MIN = 0.2

/** Changes of a mail after which it must be judged alike. */
const VARIATIONS = new Set([
  'the text part alone',
  'the HTML alone',
  'subject "hello"',
  'no subject',
  'a footer',
  'a signature',
  'an order below',
  'an order above',
  'a ticket below',
  'an older mail below',
  'a phone above',
  'a preheader',
])

/** One mail: the amounts of the facts of each value, and the index of the code, or -1. */
interface Row {
  readonly group: string
  readonly language: string
  readonly otp: string | null
  readonly isOriginal: boolean
  readonly weight: number
  readonly values: readonly string[]
  readonly facts: readonly Int32Array[]
  readonly amounts: readonly Float64Array[]
  readonly target: number
}

type Parts = Pick<BatchMail, 'subject' | 'text' | 'html' | 'otp'>

const ids = new Map<string, number>()

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

function rowOf(mail: Parts, use: Pick<Row, 'group' | 'language' | 'weight' | 'isOriginal'>): Row {
  const { subject, text, otp } = mail
  const lines = linesOf({ subject, text, html: mail.html === null ? null : readHtml(mail.html) })
  const candidates = candidatesOf(lines)
  const found = evidenceOf(new MailReader(lines, candidates), candidates)
  const amounts = found.map(amountsOf)
  return {
    ...use,
    otp,
    values: found.map(({ value }) => value),
    facts: amounts.map((all) => Int32Array.from(all, ([id]) => id)),
    amounts: amounts.map((all) => Float64Array.from(all, ([, amount]) => amount)),
    target: found.findIndex(({ value }) => value === otp),
  }
}

function rowsOf(group: string, mail: BatchMail): readonly Row[] {
  const varied = TRANSFORMATIONS.filter(({ name }) => VARIATIONS.has(name)).flatMap(
    ({ apply }) => apply(mail) ?? [],
  )
  const language = mail.language.split('-', 1)[0] ?? ''
  const weight = 1 / varied.length
  return [
    rowOf(mail, { group, language, weight: 0.5, isOriginal: true }),
    ...varied.map((one) => rowOf(one, { group, language, weight, isOriginal: false })),
  ]
}

function readAll(): readonly Row[] {
  const rows: Row[] = []
  for (const batch of BATCHES) {
    const group = basename(batch.pathname).slice(0, 2)
    for (const mail of readBatch(batch)) rows.push(...rowsOf(group, mail))
  }
  for (const part of ['tune', 'measure'] as const) {
    for (const mail of readCorpus(part)) {
      const { subject, text, html } = parseMail(mail.raw)
      const { file, language, kind, otp } = mail
      rows.push(
        ...rowsOf(part, { file, language, kind, otp, subject, text, html, from: '', links: [] }),
      )
    }
  }
  const line = (text: string, otp: string | null): Parts => ({
    subject: null,
    text,
    html: null,
    otp,
  })
  const phraseOf = (language: string) =>
    ({ group: 'phrases', language, weight: 0.3, isOriginal: false }) as const
  for (const [language = '', value = '', sentence = ''] of readTable('phrases.tsv')) {
    const otp = value === '-' ? null : value
    rows.push(rowOf(line(sentence.replaceAll('\\n', '\n'), otp), phraseOf(language)))
  }
  for (const [language = '', meaning = '', ...labels] of readTable('labels.tsv')) {
    const otp = meaning === 'code' ? '593817' : null
    const phrase = phraseOf(language)
    for (const label of labels) rows.push(rowOf(line(`${label}: 593817`, otp), phrase))
  }
  return rows
}

/** Scores of the values of a mail. */
function scoresOf({ facts, amounts }: Row, weights: Float64Array): Float64Array {
  return Float64Array.from(facts, (all, value) => {
    let score = 0
    for (let at = 0; at < all.length; at += 1) {
      score += (weights[all[at] ?? 0] ?? 0) * (amounts[value]?.[at] ?? 0)
    }
    return score
  })
}

/** Probabilities of the values; what is missing to 1 is that of no code. */
function probabilitiesOf(row: Row, weights: Float64Array): Float64Array {
  const scores = scoresOf(row, weights)
  const top = Math.max(0, ...scores)
  const odds = scores.map((score) => Math.exp(score - top))
  const sum = odds.reduce((all, one) => all + one, Math.exp(-top))
  return odds.map((one) => one / sum)
}

/** Adds the gradient of a mail; returns how far its probabilities are from the truth. */
function addGradient(row: Row, weights: Float64Array, gradient: Float64Array): number {
  let distance = 0
  for (const [value, probability] of probabilitiesOf(row, weights).entries()) {
    const error = probability - (value === row.target ? 1 : 0)
    distance = Math.max(distance, Math.abs(error))
    const excess = error * row.weight
    if (Math.abs(excess) < 1e-7) continue
    const facts = row.facts[value] ?? []
    for (let at = 0; at < facts.length; at += 1) {
      const id = facts[at] ?? 0
      gradient[id] = (gradient[id] ?? 0) + excess * (row.amounts[value]?.[at] ?? 0)
    }
  }
  return distance
}

/** Mails that are judged nearly right change little in a step: their gradient is kept. */
const SETTLED = 0.02
const SETTLED_STEPS = 10

/** The gradient of all mails. */
class Gradient {
  readonly #rows: readonly Row[]
  #open: Row[] = []
  #settled = new Float64Array(0)

  constructor(rows: readonly Row[]) {
    this.#rows = rows
  }

  at(step: number, weights: Float64Array): Float64Array {
    if ((step - 1) % SETTLED_STEPS === 0) this.#settle(weights)
    const gradient = Float64Array.from(this.#settled)
    for (const row of this.#open) addGradient(row, weights, gradient)
    return gradient
  }

  #settle(weights: Float64Array): void {
    this.#open = []
    this.#settled = new Float64Array(weights.length)
    const unused = new Float64Array(weights.length)
    for (const row of this.#rows) {
      const own = addGradient(row, weights, unused)
      if (own > SETTLED) this.#open.push(row)
      else addGradient(row, weights, this.#settled)
    }
  }
}

/** Adam, full batch, with a pull towards the priors. */
function fitWeights(rows: readonly Row[]): Float64Array {
  const priors = Float64Array.from(ids.keys(), (fact) => PRIORS[fact] ?? 0)
  const weights = Float64Array.from(priors)
  const first = new Float64Array(ids.size)
  const second = new Float64Array(ids.size)
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  const all = new Gradient(rows)
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = all.at(step, weights)
    const rate = step > STEPS * 0.7 ? STEP / 5 : STEP
    for (let id = 0; id < ids.size; id += 1) {
      const prior = priors[id] ?? 0
      const slope = ((gradient[id] ?? 0) + PULL * ((weights[id] ?? 0) - prior)) / total
      first[id] = 0.9 * (first[id] ?? 0) + 0.1 * slope
      second[id] = 0.999 * (second[id] ?? 0) + 0.001 * slope * slope
      const mean = (first[id] ?? 0) / (1 - 0.9 ** step)
      const spread = Math.sqrt((second[id] ?? 0) / (1 - 0.999 ** step)) + 1e-9
      weights[id] = natural((weights[id] ?? 0) - (rate * mean) / spread, prior)
    }
  }
  return weights
}

function natural(weight: number, prior: number): number {
  if (prior > 0) return Math.max(weight, Math.min(prior, NATURAL_MIN))
  return prior < 0 ? Math.min(weight, Math.max(prior, -NATURAL_MIN)) : weight
}

interface Verdict {
  readonly row: Row
  readonly value: string | null
  readonly confidence: number
}

function verdictOf(row: Row, weights: Float64Array): Verdict {
  const probabilities = probabilitiesOf(row, weights)
  const confidence = Math.max(0, ...probabilities)
  return { row, confidence, value: row.values[probabilities.indexOf(confidence)] ?? null }
}

const BINS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01] as const

function reportVerdicts(name: string, verdicts: readonly Verdict[]): void {
  const expected = verdicts.filter(({ row }) => row.otp !== null).length
  for (const least of [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]) {
    const given = verdicts.filter(({ confidence }) => confidence >= least)
    const right = given.filter(({ row, value }) => value === row.otp).length
    console.log(
      `${name} from ${least}: precision ${(right / given.length).toFixed(4)} (${right}/${given.length}), recall ${(right / expected).toFixed(4)} (${right}/${expected})`,
    )
  }
  for (const [at, from] of BINS.slice(0, -1).entries()) {
    const to = BINS[at + 1] ?? 1
    const bin = verdicts.filter(({ confidence }) => confidence >= from && confidence < to)
    const right = bin.filter(({ row, value }) => value === row.otp).length
    const said = bin.reduce((sum, { confidence }) => sum + confidence, 0) / bin.length
    console.log(
      `  said ${said.toFixed(3)}, right ${(right / bin.length).toFixed(3)} of ${bin.length}`,
    )
  }
}

/** Groups of languages that are left out together. */
const LANGUAGE_FOLDS = 8

/** The group of a language: by its letters, so that related ones are in different groups. */
function foldOf(language: string): string {
  const sum = [...language].reduce((all, letter) => all * 31 + letter.charCodeAt(0), 0)
  return `languages ${sum % LANGUAGE_FOLDS}`
}

/** Judges each group of mails by weights that were fitted without it. */
function check(rows: readonly Row[], groupOf: (row: Row) => string): void {
  const groups = new Set(rows.filter(({ isOriginal }) => isOriginal).map(groupOf))
  const verdicts = [...groups].flatMap((group) => {
    const weights = fitWeights(rows.filter((row) => groupOf(row) !== group))
    const left = rows.filter((row) => groupOf(row) === group && row.isOriginal)
    const own = left.map((row) => verdictOf(row, weights))
    const given = own.filter(({ confidence }) => confidence >= CONFIDENCE_MIN)
    const right = given.filter(({ row, value }) => value === row.otp).length
    const expected = own.filter(({ row }) => row.otp !== null).length
    console.log(
      `left out ${group}: precision ${(right / given.length).toFixed(3)}, recall ${(right / expected).toFixed(3)}`,
    )
    return own
  })
  reportVerdicts('all', verdicts)
  reportVerdicts(
    'batches',
    verdicts.filter(({ row }) => /^\d/.test(row.group)),
  )
}

/** Weights that are written: smaller ones change no verdict. */
const WRITTEN_MIN = 0.03

function keyOf(fact: string): string {
  return /^\w+$/.test(fact) ? fact : `'${fact}'`
}

function write(weights: Float64Array): void {
  const entries = Array.from(ids, ([fact, id]) => [fact, weights[id] ?? 0] as const)
  const lines = entries
    .filter(([, weight]) => Math.abs(weight) >= WRITTEN_MIN)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([fact, weight]) => `  ${keyOf(fact)}: ${Number(weight.toFixed(2))},`)
  writeFileSync(
    new URL('../packages/mail/src/codes/weights.ts', import.meta.url),
    [
      '// Written by bench/fit-codes.ts: do not edit.',
      '',
      '/** The weight of each fact in the logarithm of the odds that a value is the code. */',
      'export const WEIGHTS: Readonly<Record<string, number>> = {',
      ...lines,
      '}',
      '',
    ].join('\n'),
  )
  console.log(`${lines.length} weights written`)
}

const rows = readAll()
console.log(`${rows.length} mails and variations, ${ids.size} facts`)
if (process.argv.includes('--check')) check(rows, ({ group }) => group)
else if (process.argv.includes('--check-languages')) check(rows, ({ language }) => foldOf(language))
else write(fitWeights(rows))
