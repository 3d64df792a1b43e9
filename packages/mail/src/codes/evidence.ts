import { runSteps, type Steps } from '../steps.ts'
import { adjacentFacts } from './adjacent-words.ts'
import { CODE_LIKE } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { addCombined } from './combinations.ts'
import { formFacts } from './findings.ts'
import { type Layout, layoutFacts, layoutOf } from './layout.ts'
import type { LineSource } from './lines.ts'
import { isLabelled as isLabelledLine, isMaskedIn } from './mail-figures.ts'
import type { MailReader } from './mail-reader.ts'
import {
  isShortText,
  type Topic,
  topicOf,
  withoutDead,
  withoutOffer,
  withoutSubject,
} from './mail-topic.ts'
import { COUPON, type Meaning } from './meaning.ts'
import { labelLineOf } from './neighbours.ts'
import { isLabelledOtherwise, isOfUnknown } from './open-labels.ts'
import { relationsOf } from './relations.ts'
import { type Repeated, repeatedFacts, repeatedIn } from './repeated.ts'
import type { Surroundings } from './surroundings.ts'
import { FIELD } from './traps.ts'
import {
  bestOther,
  hasDigit,
  isAlone,
  isDead,
  isNumberAsked,
  isOpen,
  isVisible,
  listedValues,
  NAMED,
  NAMED_OTHERWISE,
  type Occurrence,
  type Shown,
  valuesOf,
} from './values.ts'
import { BIT } from './words/concepts.ts'

/** All that is known of a value that could be the code, before anything is weighed. */
export interface Evidence {
  readonly value: string
  /** What it is called, at the place where that is clearest. */
  readonly meaning: Meaning
  /** Points by which its name is better than that of the best other value, up to 4. */
  readonly lead: number
  /** By name; each is true or absent. */
  readonly facts: readonly string[]
  /** Meanings of the words around it by their relation to it. */
  readonly relations: Int32Array
}

/** Nothing in the mail says what the value is. */
const UNSAID = 'nothing calls it a code'

const LEAD_MAX = 4

/** Collects what is known of each value. */
export function evidenceOf(
  mail: MailReader,
  candidates: readonly Candidate[],
): readonly Evidence[] {
  return runSteps(evidenceSteps(mail, candidates))
}

/** The same, step by step. */
export function* evidenceSteps(
  mail: MailReader,
  candidates: readonly Candidate[],
): Steps<readonly Evidence[]> {
  const values = valuesOf(mail, candidates)
  if (values.length === 0) return []
  yield
  const whole = wholeOf(mail, values)
  yield
  return values.map((value) => evidenceOfValue(mail, value, whole))
}

/** What is the same for all values of a mail. */
function wholeOf(mail: MailReader, values: readonly Shown[]): Whole {
  const numbers = values.filter(({ value }) => hasDigit(value))
  const open = numbers.filter(isOpen)
  const inMail: InMail = {
    numbers: numbers.length,
    open: open.length,
    alone: open.filter(isAlone).length,
    lines: mail.lines.length,
    listed: listedValues(values),
  }
  const styled = numbers.map(({ shown }) => ({ places: shown, style: mostStyled(shown) }))
  return {
    values,
    topic: topicOf(mail.lines),
    inMail,
    layout: layoutOf(mail.lines, styled),
    repeated: repeatedIn(mail.lines),
  }
}

interface InMail {
  readonly numbers: number
  /** Numbers that are not known to be something else. */
  readonly open: number
  /** Those of them that stand alone. */
  readonly alone: number
  readonly lines: number
  readonly listed: ReadonlySet<string>
}

interface Whole {
  readonly values: readonly Shown[]
  readonly topic: Topic
  readonly inMail: InMail
  readonly layout: Layout
  readonly repeated: Repeated
}

function evidenceOfValue(mail: MailReader, own: Shown, whole: Whole): Evidence {
  const { values, inMail, layout } = whole
  const topic = topicFor(own, whole)
  const { value, shown, main } = own
  const { meaning } = main.around
  const relations = relationsOf(mail, shown, topic)
  if (isReplaced(values, own)) {
    for (const at of relations.keys()) relations[at] = (relations[at] ?? 0) & ~BIT.dead
  }
  const best = bestOther(values, own)
  const style = mostStyled(shown)
  const facts = new Set(main.traps)
  addAll(facts, meaningFacts(meaning))
  addAll(facts, sentenceFacts(main.around))
  addAll(facts, formFacts(main.candidate))
  addAll(facts, style)
  addAll(facts, topicFacts(meaning, topic))
  addAll(facts, placeFacts(own, values, topic))
  for (const { line, candidate } of shown) addAll(facts, adjacentFacts(line, candidate))
  addAll(facts, comparedFacts(own, best, inMail))
  addAll(facts, repeatedFacts(value, whole.repeated))
  if (isLedAsExample(mail, main)) facts.add('led to as an example')
  if (isExampleElsewhere(own)) facts.add('an example in another place')
  if (isDocument(mail)) facts.delete(FIELD)
  const number = { places: shown, style }
  addAll(
    facts,
    layoutFacts(number, layout, (index) => mail.line(index)),
  )
  const combined = {
    meaning,
    shape: main.candidate.shape,
    style,
    isNumber: hasDigit(value),
    isAlone: isAlone(own),
    isLabelled: isLabelledLine(main.line.text) || labelLineOf(mail, main.candidate.line) !== null,
    isLabelledOtherwise: isLabelledOtherwise(mail, main.candidate),
    isBesideMasked: topic.figures.hasMasked && isMaskedIn(main.line.text),
    isOfUnknown: isOfUnknown(mail, main.candidate),
    isStyled: layout.isStyled,
    isNoneNamed: Math.max(best, meaning.points) < NAMED,
    isNumberAsked: !hasDigit(value) && values.some(isNumberAsked),
    isOnlyAlone: isAlone(own) && inMail.alone === (isOpen(own) ? 1 : 0) && hasDigit(value),
    value,
    relations,
    topic,
  }
  addCombined(combined, facts)
  const lead = Math.max(-LEAD_MAX, Math.min(LEAD_MAX, meaning.points - Math.max(0, best)))
  return { value, meaning, lead, facts: Array.from(facts), relations }
}

/** Whether another value has expired, and this one has not: `the old code 224587 expired`. */
function isReplaced(values: readonly Shown[], own: Shown): boolean {
  return !isDead(own) && values.some(isDead)
}

/** What the mail is about as far as it matters to a value. */
function topicFor(own: Shown, whole: Whole): Topic {
  const topic = topicOfNames(own, whole)
  return isReplaced(whole.values, own) ? withoutDead(topic) : topic
}

function topicOfNames(own: Shown, { values, topic }: Whole): Topic {
  if (isOfferOfOther(values, own)) return withoutOffer(topic)
  const { points, isOtp, isForSignIn } = own.main.around.meaning
  const isClear = points >= NAMED && (isOtp === true || isForSignIn === true)
  // `Your sign-in code is 482913` is clear, whatever the subject is.
  return isClear && isShortText(topic) ? withoutSubject(topic) : topic
}

/** A clear name beside a coupon that is another value: `your code is H4TZ, coupon HOLA10`. */
function isOfferOfOther(values: readonly Shown[], { main: { around } }: Shown): boolean {
  const { points, isBare } = around.meaning
  if (points < NAMED || isBare === true) return false
  return values.some(({ main }) => main.around.meaning.reason === COUPON)
}

/** A fact counts once, no matter in how many places of the mail it is found. */
function addAll(facts: Set<string>, more: readonly string[]): void {
  for (const fact of more) facts.add(fact)
}

function meaningFacts(meaning: Meaning): readonly string[] {
  if (meaning.points === 0) return [UNSAID]
  const facts = [meaning.reason]
  if (meaning.isOtp) facts.push('its name means a one-time code and nothing else')
  if (meaning.isBare) facts.push('its name does not say what it is for')
  if (meaning.isAsked) facts.push('only asked to be entered')
  if (meaning.isFar) facts.push('its name is not in the line above')
  return facts
}

function sentenceFacts({ sentence, before }: Surroundings): readonly string[] {
  const facts: string[] = []
  if ((sentence & BIT.dead) !== 0) facts.push('expired or used')
  if ((sentence & BIT.example) !== 0) facts.push('only an example')
  if ((sentence & BIT.elsewhere) !== 0) facts.push('sent another way')
  if (before.concepts !== 0) {
    const at = GAPS.findIndex(([charsMax]) => before.gap <= charsMax)
    facts.push(GAPS[at]?.[1] ?? 'far behind a known word')
  }
  return facts
}

const GAPS = [
  [3, 'next to a known word'],
  [12, 'near a known word'],
  [40, 'behind a known word'],
] as const

function isExampleElsewhere({ shown, main }: Shown): boolean {
  return shown.some((one) => one !== main && (one.around.sentence & BIT.example) !== 0)
}

/** Whether the mail is a JSON document as a whole: its fields are not those of an example. */
function isDocument(mail: MailReader): boolean {
  const first = mail.lines.find(({ source }) => source !== 'subject')
  return first !== undefined && /^\s*[{[]/.test(first.text)
}

/** Whether the line above ends with a colon and speaks of an example. */
function isLedAsExample(mail: MailReader, { candidate, line }: Occurrence): boolean {
  const above = mail.line(candidate.line - 1)
  if (above === undefined || above.source !== line.source) return false
  return (above.concepts & BIT.example) !== 0 && /[:：]\s*$/.test(above.text)
}

function mostStyled(shown: readonly Occurrence[]): readonly string[] {
  return shown.reduce<readonly string[]>(
    (most, { style }) => (style.length > most.length ? style : most),
    [],
  )
}

function topicFacts(meaning: Meaning, topic: Topic): readonly string[] {
  const facts = [...topic.general]
  if (meaning.isAsked && meaning.points < NAMED) facts.push(...topic.forAsked)
  if (!meaning.isOtp) facts.push(...topic.unlessOtp)
  if (meaning.isBare) facts.push(...topic.ifBare)
  return facts
}

/** Facts by where in the mail a value is. Hidden text alone is no code. */
function placeFacts(
  { found, shown, main }: Shown,
  values: readonly Shown[],
  topic: Topic,
): readonly string[] {
  const isIn = (source: LineSource): boolean => found.some(({ line }) => line.source === source)
  const isSeen = shown.some(isVisible)
  if (!isSeen) {
    const isOtherSeen = values.some((other) => other.shown.some(isVisible))
    if (!isIn('preheader')) return ['not to be seen']
    return [isOtherSeen ? 'in the preview text, others are visible' : 'in the preview text alone']
  }
  const facts: string[] = []
  if (isIn('subject') && shown.length > 1) facts.push('in subject and body')
  if (shown.length < found.length) facts.push('in the preview text')
  if (main.line.source === 'subject') facts.push('clearest in the subject')
  if (shown.every(({ line }) => line.source === 'subject')) {
    facts.push(
      (topic.body & CODE_LIKE) !== 0
        ? 'only in the subject of a mail with a code'
        : 'only in the subject',
    )
  }
  return facts
}

/** Facts by comparison with the other values of the mail. */
function comparedFacts(own: Shown, best: number, inMail: InMail): readonly string[] {
  const { meaning } = own.main.around
  const others = inMail.open - (isOpen(own) && hasDigit(own.value) ? 1 : 0)
  const facts = [NUMBERS[Math.min(others, 8)] ?? '']
  if (inMail.numbers >= MANY_NUMBERS) facts.push('many numbers in the mail')
  const isNamedElsewhere = own.shown.some(({ around }) => around.meaning.points <= NAMED_OTHERWISE)
  if (isNamedElsewhere && meaning.points > NAMED_OTHERWISE && !meaning.isOtp) {
    facts.push('called something else in another place')
  }
  if (inMail.listed.has(own.value)) facts.push('one of a list')
  if (best >= NAMED) facts.push('another value is called a code')
  if (isAlone(own)) {
    const rivals = inMail.alone - (isOpen(own) && hasDigit(own.value) ? 1 : 0)
    if (hasDigit(own.value)) facts.push(ALONE[Math.min(rivals, 3)] ?? '')
    else facts.push(rivals > 0 ? 'letters, numbers stand alone' : 'letters, no number stands alone')
  } else if (inMail.alone > 0) facts.push('others stand alone')
  const { candidate, line } = own.main
  if (candidate.line > inMail.lines * 0.75) facts.push('in the last quarter of the mail')
  if (!candidate.standsAlone) {
    if (candidate.beginsLine) facts.push('begins a line')
    if (candidate.end >= line.text.length - 2) facts.push('ends a line')
  }
  return facts
}

/** Numbers of a mail that has more than a code. */
const MANY_NUMBERS = 5

/** By how many other numbers of the mail could be the code. */
const NUMBERS = [
  'the only number without another name',
  'one of two numbers',
  'one of a few numbers',
  'one of a few numbers',
  'one of many numbers',
  'one of many numbers',
  'one of many numbers',
  'one of many numbers',
  'one of very many numbers',
] as const

/** By how many others of them stand alone. */
const ALONE = [
  'the only number that stands alone',
  'one of two that stand alone',
  'one of three that stand alone',
  'one of many that stand alone',
] as const
