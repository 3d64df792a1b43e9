import type { Candidate } from './candidates.ts'
import { FeatureList, type Rows, SeenRows } from './feature-list.ts'
import { addMail, addValue, REASON } from './features.ts'
import type { Line } from './lines.ts'
import { HIDDEN, INPUTS, type Model, model } from './model.ts'
import { type Value, valuesOf } from './values.ts'
import { MailText } from './words.ts'

/** A value with the probability that it is the code. */
export interface RankedValue {
  readonly value: Value
  readonly features: FeatureList
  readonly probability: number
}

/** The values of a mail, best first. */
export interface Ranking {
  readonly mail: MailText
  readonly features: FeatureList
  readonly values: readonly RankedValue[]
}

/** The features of a mail and of its values. */
export interface MailFeatures {
  readonly text: MailText
  readonly mail: FeatureList
  readonly values: readonly { readonly value: Value; readonly features: FeatureList }[]
}

/** Which features are known, and which values count. */
export interface FeatureOptions {
  readonly known: Rows
  readonly seen: SeenRows
  readonly accepts?: (value: string) => boolean
}

function anyValue(): boolean {
  return true
}

/** Reads the features that are known. */
export function featuresOf(
  lines: readonly Line[],
  candidates: readonly Candidate[],
  { known, seen, accepts = anyValue }: FeatureOptions,
): MailFeatures {
  const text = new MailText(lines)
  const mail = new FeatureList(known, seen)
  const topic = addMail(text, mail)
  const values = valuesOf(text, candidates, accepts).map((value) => {
    const features = new FeatureList(known, seen)
    addValue({ mail: text, value, topic }, features)
    return { value, features }
  })
  return { text, mail, values }
}

let seen: SeenRows | null = null

// Used by one mail after the other: to reserve a typed array takes a microsecond.
const SUMS = new Float32Array(INPUTS)
const MAIL_UNITS = new Float32Array(HIDDEN)
const UNITS = new Float32Array(HIDDEN)

/**
 * Rates the values of a mail.
 *
 * A mail has one code or none, so the values and "none", whose score is 0, share one probability:
 * two that are equally likely have at most one half each.
 */
export function rank(
  lines: readonly Line[],
  candidates: readonly Candidate[],
  accepts: (value: string) => boolean = anyValue,
): Ranking {
  const known = model()
  seen ??= new SeenRows(known.count)
  const { text, mail, values } = featuresOf(lines, candidates, { known, seen, accepts })
  const weight = known.sum(mail, mail.scales(), SUMS.fill(0))
  known.activate(SUMS, MAIL_UNITS.fill(0))
  const scores = values.map(({ features }) => {
    const score = weight + known.sum(features, features.scales(), SUMS.fill(0))
    UNITS.set(MAIL_UNITS)
    known.activate(SUMS, UNITS)
    return score + known.output(UNITS)
  })
  const highest = Math.max(0, ...scores)
  const odds = scores.map((score) => Math.exp(score - highest))
  const all = odds.reduce((sum, one) => sum + one, Math.exp(-highest))
  const ranked = values
    .map((one, at) => ({ ...one, probability: (odds[at] ?? 0) / all }))
    .sort((one, other) => other.probability - one.probability)
  return { mail: text, features: mail, values: ranked }
}

/** What each reason counts for a value: together its score, the logarithm of its odds to none. */
export function sharesOf(
  { features: mail }: Pick<Ranking, 'features'>,
  { features }: Pick<RankedValue, 'features'>,
  known: Model = model(),
): ReadonlyMap<number, number> {
  const sums = new Float32Array(INPUTS)
  const lists = [mail, features].map((list) => ({ list, scales: list.scales() }))
  for (const { list, scales } of lists) known.sum(list, scales, sums)
  const units = new Float32Array(HIDDEN)
  known.activate(sums, units)
  const gradient = known.gradient(units)
  // What the units add whatever their inputs are.
  const rest = gradient.reduce(
    (left, slope, at) => left - slope * (sums[at] ?? 0),
    known.output(units),
  )
  const shares = new Map<number, number>([[REASON.bias, rest]])
  for (const { list, scales } of lists) {
    for (const [at, reason] of list.reasons.entries()) {
      const one = { rows: list.rows.slice(at, at + 1), families: list.families.slice(at, at + 1) }
      const weight = known.sum(one, scales, sums.fill(0))
      const share = gradient.reduce((sum, slope, input) => sum + slope * (sums[input] ?? 0), weight)
      shares.set(reason, (shares.get(reason) ?? 0) + share)
    }
  }
  return shares
}
