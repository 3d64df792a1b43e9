import type { Candidate } from './candidates.ts'
import { type Finding, formFindings, styleFindings, weigh } from './findings.ts'
import type { LineSource } from './lines.ts'
import type { MailReader, ReadLine } from './mail-reader.ts'
import { NO_TOPIC, type Topic, topicOf } from './mail-topic.ts'
import type { Meaning } from './meaning.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'
import { TRAPS } from './traps.ts'
import { BIT } from './words/concepts.ts'

/** A value with the findings for and against it. */
export interface JudgedValue {
  readonly value: string
  readonly findings: readonly Finding[]
  readonly points: number
}

const UNSAID: Finding = { reason: 'nothing calls it a code', points: -5 }

const UNLABELLED: Finding = { reason: 'a word that nothing beside it calls a code', points: -4 }

const LISTED: Finding = { reason: 'one of a list', points: -5 }

/** This many values of one form that each stand alone are a list. */
const LIST_MIN = 3

const NAMED_ELSEWHERE: Finding = { reason: 'called something else in another place', points: -3 }

/** Characters of a label that are reported. */
const QUOTED_CHARS_MAX = 80

/** The label is reported beside what it says, and has no weight of its own. */
const QUOTE = 1e-9

interface Occurrence {
  readonly candidate: Candidate
  readonly line: ReadLine
  readonly around: Surroundings
  readonly own: readonly Finding[]
  readonly style: readonly Finding[]
}

/** Rates all candidates of a mail, best first. */
export function judge(mail: MailReader, candidates: readonly Candidate[]): readonly JudgedValue[] {
  const byValue = new Map<string, Occurrence[]>()
  for (const candidate of candidates) {
    const occurrence = occurrenceOf(mail, candidate)
    if (occurrence === null) continue
    const others = byValue.get(candidate.value)
    if (others === undefined) byValue.set(candidate.value, [occurrence])
    else others.push(occurrence)
  }
  const isAnySaid = Array.from(byValue.values()).some((found) => found.some(isSaid))
  // Without a label for any candidate the rest of the mail does not matter.
  const topic = isAnySaid ? topicOf(mail.all()) : NO_TOPIC
  const listed = listedValues(byValue)
  const judged = Array.from(byValue, ([value, found]) => {
    const one = judgeValue(value, found, topic)
    return listed.has(value) ? withFinding(one, LISTED) : one
  })
  return judged.sort((one, other) => other.points - one.points)
}

/** Values in a list of similar values: recovery codes, winning numbers. */
function listedValues(byValue: ReadonlyMap<string, readonly Occurrence[]>): ReadonlySet<string> {
  const byForm = new Map<string, string[]>()
  for (const [value, [first]] of byValue) {
    if (first === undefined || !first.candidate.standsAlone || !isSaid(first)) continue
    const form = `${first.candidate.shape} ${value.length} ${first.candidate.groups}`
    const alike = byForm.get(form)
    if (alike === undefined) byForm.set(form, [value])
    else alike.push(value)
  }
  const lists = Array.from(byForm.values()).filter((values) => values.length >= LIST_MIN)
  return new Set(lists.flat())
}

function withFinding(judged: JudgedValue, finding: Finding): JudgedValue {
  const findings = [...judged.findings, finding]
  return { ...judged, findings, points: judged.points + finding.points }
}

function isSaid({ around }: Occurrence): boolean {
  return around.meaning.points > 0
}

function occurrenceOf(mail: MailReader, candidate: Candidate): Occurrence | null {
  const line = mail.line(candidate.line)
  if (line === undefined) return null
  if (candidate.shape === 'letters' || candidate.shape === 'words') {
    if (isKnown(line, candidate)) return null
  }
  const around = surroundingsOf(mail, candidate)
  const place = { candidate, line, around }
  const own: Finding[] = TRAPS.filter((trap) => trap.matches(place))
  if (around.meaning.points !== 0) own.push(...meaningFindings(around.meaning))
  own.push(...sentenceFindings(around), ...formFindings(candidate))
  if (isSpelt(candidate) && !isLabelled(around.meaning)) own.push(UNLABELLED)
  return { ...place, own, style: styleFindings(candidate, line) }
}

/** What the label says, and the label itself. */
function meaningFindings(meaning: Meaning): readonly Finding[] {
  const words = meaning.words?.trim().slice(0, QUOTED_CHARS_MAX) ?? ''
  if (words === '') return [meaning]
  return [meaning, { reason: `named by "${words}"`, points: Math.sign(meaning.points) * QUOTE }]
}

/** Made of letters as words are; `KXQ-TRM` is not. */
function isSpelt({ shape, groups }: Candidate): boolean {
  return shape === 'words' || (shape === 'letters' && groups === 1)
}

/** A word is a code only directly after or below a label that means a code for signing in. */
function isLabelled({ points, isFar, isBare }: Meaning): boolean {
  return points >= 3 && isFar !== true && isBare !== true
}

/** More than a third of it is in the word tables: a button or a heading. */
function isKnown({ hits }: ReadLine, { start, end }: Candidate): boolean {
  let known = 0
  for (const hit of hits) {
    known += Math.max(0, Math.min(hit.end, end) - Math.max(hit.start, start))
  }
  return known * 3 > end - start
}

function sentenceFindings({ sentence }: Surroundings): readonly Finding[] {
  const found: Finding[] = []
  if ((sentence & BIT.dead) !== 0) found.push({ reason: 'expired or used', points: -5 })
  if ((sentence & BIT.example) !== 0) found.push({ reason: 'only an example', points: -5 })
  if ((sentence & BIT.elsewhere) !== 0) found.push({ reason: 'sent another way', points: -2.5 })
  return found
}

/** The style can confirm a code, but not replace a label: its weight is limited. */
function capped(styles: readonly Finding[], meaning: number): readonly Finding[] {
  const sum = weigh(styles)
  const most = meaning >= 3 ? 2.5 : 1.8
  if (sum <= most) return styles
  return styles.map(({ reason, points }) => ({ reason, points: (points * most) / sum }))
}

function judgeValue(value: string, found: readonly Occurrence[], topic: Topic): JudgedValue {
  const visible = found.filter(isVisible)
  const shown = visible.length > 0 ? visible : found
  const main = shown.reduce((best, one) => (weigh(one.own) > weigh(best.own) ? one : best))
  const { meaning } = main.around
  if (meaning.points === 0) {
    return { value, findings: [...main.own, UNSAID], points: UNSAID.points }
  }
  const { style } = shown.reduce((best, one) => (weigh(one.style) > weigh(best.style) ? one : best))
  const findings = [
    ...main.own,
    ...capped(style, meaning.points),
    ...topicFindings(meaning, topic),
    ...placeFindings(found, shown),
  ]
  const isNamed = shown.some(({ around }) => around.meaning.points <= -4)
  if (isNamed && meaning.points > -4 && !meaning.isOtp) findings.push(NAMED_ELSEWHERE)
  return { value, findings, points: weigh(findings) }
}

function isVisible({ line }: Occurrence): boolean {
  return line.source !== 'hidden' && line.source !== 'preheader'
}

function topicFindings(meaning: Meaning, topic: Topic): readonly Finding[] {
  const findings = [...topic.general]
  if (meaning.isAsked && meaning.points < 3) findings.push(...topic.forAsked)
  if (!meaning.isOtp) findings.push(...topic.unlessOtp)
  if (meaning.isBare) findings.push(...topic.ifBare)
  return findings
}

/** Findings by where in the mail a value is. Hidden text alone is no code. */
function placeFindings(
  found: readonly Occurrence[],
  shown: readonly Occurrence[],
): readonly Finding[] {
  const isIn = (source: LineSource): boolean => found.some(({ line }) => line.source === source)
  const isSeen = shown.some(isVisible)
  if (!isSeen && isIn('preheader')) return [{ reason: 'in the preview text alone', points: -0.8 }]
  if (!isSeen) return [{ reason: 'not to be seen', points: -6 }]
  const findings: Finding[] = []
  if (isIn('subject') && shown.length > 1) {
    findings.push({ reason: 'in subject and body', points: 1.2 })
  }
  if (shown.length < found.length) findings.push({ reason: 'in the preview text', points: 0.5 })
  return findings
}
