import type { Candidate } from './candidates.ts'
import type { ReadLine } from './context.ts'
import { type Finding, weigh } from './finding.ts'
import { formOf } from './form.ts'
import type { LineSource } from './line.ts'
import { lookOf } from './look.ts'
import type { MailReader } from './mail-reader.ts'
import { NO_TOPIC, type Topic, topicOf } from './mail-topic.ts'
import type { Meaning } from './meaning.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'
import { TRAPS } from './traps.ts'
import { BIT } from './words/concepts.ts'

/** A value with all that speaks for and against it. */
export interface Judged {
  readonly value: string
  readonly findings: readonly Finding[]
  readonly points: number
}

const UNSAID: Finding = { reason: 'nothing calls it a code', points: -5 }

const UNLABELLED: Finding = { reason: 'a word that nothing beside it calls a code', points: -4 }

const LISTED: Finding = { reason: 'one of a list', points: -5 }

/** From this many on, values of one form that each stand alone are a list. */
const LIST_MIN = 3

const NAMED_ELSEWHERE: Finding = { reason: 'called something else in another place', points: -3 }

interface Occurrence {
  readonly candidate: Candidate
  readonly line: ReadLine
  readonly around: Surroundings
  readonly own: readonly Finding[]
  readonly look: readonly Finding[]
}

/** Judges all candidates of a mail, best first. */
export function judge(mail: MailReader, candidates: readonly Candidate[]): readonly Judged[] {
  const byValue = new Map<string, Occurrence[]>()
  for (const candidate of candidates) {
    const occurrence = occurrenceOf(mail, candidate)
    if (occurrence === null) continue
    const others = byValue.get(candidate.value)
    if (others === undefined) byValue.set(candidate.value, [occurrence])
    else others.push(occurrence)
  }
  const isAnySaid = Array.from(byValue.values()).some((found) => found.some(isSaid))
  // Where nothing is called a code the rest of the mail cannot make it one.
  const topic = isAnySaid ? topicOf(mail.all()) : NO_TOPIC
  const listed = listedValues(byValue)
  const judged = Array.from(byValue, ([value, found]) => {
    const one = judgeValue(value, found, topic)
    return listed.has(value) ? withFinding(one, LISTED) : one
  })
  return judged.sort((one, other) => other.points - one.points)
}

/** Values that stand in a list of their like: recovery codes, winning numbers. */
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

function withFinding(judged: Judged, finding: Finding): Judged {
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
  const own: Finding[] = TRAPS.filter((trap) => trap.catches(place))
  if (around.meaning.points !== 0) own.push(around.meaning)
  own.push(...sentenceFindings(around), ...formOf(candidate))
  if (isSpelt(candidate) && !isLabelled(around.meaning)) own.push(UNLABELLED)
  return { ...place, own, look: lookOf(candidate, line) }
}

/** Made of letters as words are; `KXQ-TRM` is not. */
function isSpelt({ shape, groups }: Candidate): boolean {
  return shape === 'words' || (shape === 'letters' && groups === 1)
}

/** Words are codes only right below or behind words that mean a code for signing in. */
function isLabelled({ points, isFar, isBare }: Meaning): boolean {
  return points >= 3 && isFar !== true && isBare !== true
}

/** More than a third of it are words of the tables: a button or a heading. */
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

/** Looks make a code more certain; they do not make one of what nothing calls so. */
function capped(looks: readonly Finding[], meaning: number): readonly Finding[] {
  const sum = weigh(looks)
  const most = meaning >= 3 ? 2.5 : 1.8
  if (sum <= most) return looks
  return looks.map(({ reason, points }) => ({ reason, points: (points * most) / sum }))
}

function judgeValue(value: string, found: readonly Occurrence[], topic: Topic): Judged {
  const visible = found.filter(isVisible)
  const shown = visible.length > 0 ? visible : found
  const main = shown.reduce((best, one) => (weigh(one.own) > weigh(best.own) ? one : best))
  const { meaning } = main.around
  if (meaning.points === 0) {
    return { value, findings: [...main.own, UNSAID], points: UNSAID.points }
  }
  const look = shown.reduce((best, one) => (weigh(one.look) > weigh(best.look) ? one : best)).look
  const findings = [
    ...main.own,
    ...capped(look, meaning.points),
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

/** Where in the mail a value stands; hidden text bears out what is seen, and is no code alone. */
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
