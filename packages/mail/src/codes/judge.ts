import type { Evidence } from './evidence.ts'
import { RELATIONS } from './relations.ts'
import { WEIGHTS } from './weights.ts'
import { CONCEPTS } from './words/concepts.ts'

/** A value with the probability that it is the code. */
export interface JudgedValue {
  readonly evidence: Evidence
  readonly probability: number
}

/** One reason for or against a value, with its weight. */
export interface Reason {
  readonly text: string
  /** Above zero for, below zero against. */
  readonly weight: number
}

/** Bits of a set of meanings. */
const BITS = 32

/** The weight of each meaning in each relation. */
const RELATION_WEIGHTS = Float64Array.from({ length: RELATIONS.length * BITS }, (_, index) => {
  const concept = CONCEPTS[index % BITS]
  const relation = RELATIONS[Math.floor(index / BITS)]
  return concept === undefined ? 0 : (WEIGHTS[`${concept} ${relation}`] ?? 0)
})

/** Points of a name are weighed in fours, the points of a common one. */
const POINTS = 4

/**
 * Rates all values of a mail, best first.
 *
 * A mail has one code or none, so the values share one probability: two that are equally likely
 * have at most one half each.
 */
export function judge(values: readonly Evidence[]): readonly JudgedValue[] {
  const scored = values.map((evidence) => ({ evidence, odds: Math.exp(scoreOf(evidence)) }))
  const sum = scored.reduce((all, { odds }) => all + odds, 1)
  return scored
    .map(({ evidence, odds }) => ({ evidence, probability: odds / sum }))
    .sort((one, other) => other.probability - one.probability)
}

function scoreOf({ meaning, lead, facts, relations }: Evidence): number {
  let score = weightOf('any value') + nameWeight(meaning.points) + leadWeight(lead)
  for (const fact of facts) score += weightOf(fact)
  for (let relation = 0; relation < relations.length; relation += 1) {
    let rest = relations[relation] ?? 0
    while (rest !== 0) {
      const bit = 31 - Math.clz32(rest)
      score += RELATION_WEIGHTS[relation * BITS + bit] ?? 0
      rest &= ~(1 << bit)
    }
  }
  return score
}

/** The same as a map, which is looked up faster than an object with so many properties. */
const WEIGHT_OF: ReadonlyMap<string, number> = new Map(Object.entries(WEIGHTS))

function weightOf(fact: string): number {
  return WEIGHT_OF.get(fact) ?? 0
}

function nameWeight(points: number): number {
  const share = points / POINTS
  return share > 0 ? share * weightOf('a name for it') : -share * weightOf('a name against it')
}

function leadWeight(lead: number): number {
  return (lead / POINTS) * weightOf('a better name than others')
}

/** Words for the meanings in a reason. */
const CONCEPT_WORDS: Readonly<Record<string, string>> = {
  compound: 'code',
  otp: 'one-time code',
  once: 'one-time',
  login: 'sign in',
  valid: 'expires',
  keep: 'keep secret',
  naming: 'order',
  owner: 'customer',
  promo: 'coupon',
  place: 'delivery or door',
  contact: 'phone or address',
  money: 'amount',
  tech: 'version or error',
  backup: 'recovery codes',
  elsewhere: 'sent another way',
  dead: 'expired',
  ending: 'last digits',
  thing: 'case or place',
  changed: 'a change',
  settled: 'something paid or booked',
  free: 'free of charge',
}

/** Weight of the least reason that is reported. */
const REPORTED_MIN = 0.15

/** Characters of a name that are reported. */
const QUOTED_CHARS_MAX = 80

/** The text of each meaning in each relation, made when it is first reported. */
const RELATION_TEXTS = new Map<number, string>()

function relationText(index: number): string {
  const known = RELATION_TEXTS.get(index)
  if (known !== undefined) return known
  const concept = CONCEPTS[index % BITS] ?? ''
  const relation = RELATIONS[Math.floor(index / BITS)] ?? ''
  const text = `a word for ${CONCEPT_WORDS[concept] ?? concept} ${relation}`
  RELATION_TEXTS.set(index, text)
  return text
}

/** The reasons for and against a value, the most important first. */
export function reasonsOf({ meaning, lead, facts, relations }: Evidence): readonly Reason[] {
  const reasons: Reason[] = []
  const add = (text: string, weight: number): void => {
    if (Math.abs(weight) >= REPORTED_MIN) reasons.push({ text, weight })
  }
  for (const fact of facts) {
    const name = fact === meaning.reason ? nameWeight(meaning.points) + leadWeight(lead) : 0
    add(fact, weightOf(fact) + name)
  }
  for (let relation = 0; relation < relations.length; relation += 1) {
    let rest = relations[relation] ?? 0
    while (rest !== 0) {
      const bit = 31 - Math.clz32(rest)
      const index = relation * BITS + bit
      const weight = RELATION_WEIGHTS[index] ?? 0
      if (Math.abs(weight) >= REPORTED_MIN) add(relationText(index), weight)
      rest &= ~(1 << bit)
    }
  }
  const words = meaning.words?.trim().slice(0, QUOTED_CHARS_MAX) ?? ''
  // The name is reported beside what it says, and has no weight of its own.
  if (words !== '') add(`named by "${words}"`, Math.sign(meaning.points) * REPORTED_MIN)
  return reasons.sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight))
}
