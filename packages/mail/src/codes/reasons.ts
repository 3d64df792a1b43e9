import { BIT, bitsOf, CONCEPTS, SPEAKS_OF } from './concepts.ts'
import { PATTERNS, REASON } from './features.ts'
import { LARGE_PX, styleAt } from './lines.ts'
import { type RankedValue, type Ranking, sharesOf } from './rank.ts'
import type { Value } from './values.ts'
import type { MailText } from './words.ts'
import { ZONE, zonesOf } from './zones.ts'

/** Sentences for and against a value. */
const REASONS_MAX = 5

/** A reason that counts less than this, or than this part of the strongest, is not told. */
const SHARE_MIN = 0.1
const PART_MIN = 0.04

const QUOTED_CHARS_MAX = 60

/** A value of a mail, and what one topic counts for it in the logarithm of its odds. */
interface Told {
  readonly mail: MailText
  readonly value: Value
  readonly share: number
}

/** The strongest reasons for and against a value, strongest first. */
export function reasonsOf(ranking: Ranking, ranked: RankedValue) {
  const shares = new Map<string, number>()
  for (const [reason, share] of sharesOf(ranking, ranked)) {
    const topic = topicOf(reason)
    shares.set(topic, (shares.get(topic) ?? 0) + share)
  }
  const told = Array.from(shares, ([topic, share]) => {
    const text = sentenceOf(topic, { mail: ranking.mail, value: ranked.value, share })
    return { text: text ?? '', share, size: Math.abs(share) }
  }).filter(({ text }) => text !== '')
  const least = Math.max(SHARE_MIN, PART_MIN * Math.max(0, ...told.map(({ size }) => size)))
  const strongest = told
    .filter(({ size }) => size >= least)
    .sort((one, other) => other.size - one.size)
  const texts = (sign: number) =>
    strongest
      .filter(({ share }) => Math.sign(share) === sign)
      .slice(0, REASONS_MAX)
      .map(({ text }) => text)
  return { reasonsFor: texts(1), reasonsAgainst: texts(-1) }
}

/** Reasons with one topic are told in one sentence. */
function topicOf(reason: number): string {
  if (reason >= REASON.bodyMeaning) return CONCEPTS[reason - REASON.bodyMeaning] ?? 'body'
  if (reason >= REASON.subjectMeaning || reason === REASON.subject) return 'subject'
  if (reason >= REASON.zone) return ZONE_TOPICS[reason - REASON.zone] ?? 'left'
  return REASON_TOPICS.get(reason) ?? 'bias'
}

const ZONE_TOPICS: readonly string[] = [
  ...['left', 'right', 'before', 'after', 'twoBefore'],
  ...['before', 'after', 'columnHead'],
]

const REASON_TOPICS: ReadonlyMap<number, string> = new Map([
  [REASON.form, 'form'],
  [REASON.number, 'number'],
  [REASON.place, 'where'],
  [REASON.setOff, 'setOff'],
  [REASON.signs, 'signs'],
  [REASON.body, 'body'],
])

/** The sentence for a topic; null if nothing can be said. */
function sentenceOf(topic: string, told: Told): string | null {
  const zone = ZONE_TOPICS.indexOf(topic)
  if (zone >= 0) return zoneSentence(zone, told)
  return (SENTENCES[topic] ?? meaningSentence)(told, topic)
}

const SENTENCES: Readonly<Record<string, (told: Told) => string | null>> = {
  bias: () => null,
  form: formSentence,
  number: numberSentence,
  where: placeSentence,
  setOff: styleSentence,
  signs: signSentence,
  subject: subjectSentence,
  body: ({ share }) =>
    `The words of the mail are those of mails ${share > 0 ? 'with' : 'without'} a code`,
}

const NUMBERS = 'no one two three four five six seven eight nine ten'.split(' ')

function numberName(count: number): string {
  return NUMBERS[count] ?? String(count)
}

function formSentence({ value: { value, shape, groups, hasPrefix } }: Told): string {
  if (PATTERNS[0]?.test(value) === true) return 'It looks like a year'
  if (shape === 'words') return 'It is made of words'
  const inGroups = groups > 1 ? ` in ${numberName(groups)} groups` : ''
  if (shape === 'mixed') return `It has ${value.length} letters and digits${inGroups}`
  if (shape === 'letters') return `It has ${value.length} letters${inGroups}`
  const behind = hasPrefix ? ', behind a prefix' : ''
  return `It has ${numberName(value.length)} digits${inGroups}${behind}`
}

function numberSentence({ value: { alike, others, index } }: Told): string {
  if (others === 0) return 'Nothing else in the mail has the form of a code'
  if (alike === 0) return 'It is the only one of its form'
  const count = numberName(alike)
  const many = `${alike === 1 ? 'one other value has' : `${count} other values have`} the same form`
  if (index === 0) return `It is the first, but ${many}`
  return many.charAt(0).toUpperCase() + many.slice(1)
}

function placeSentence({ mail, value }: Told): string {
  const sources = new Set(value.places.map(({ line }) => mail.lines[line]?.source))
  const names = [
    ...(sources.has('subject') ? ['the subject'] : []),
    ...(sources.has('html') ? ['the HTML'] : []),
    ...(sources.has('text') ? ['the text part'] : []),
  ]
  if (names.length === 0) return 'It is in text that is not shown'
  return `It is in ${names.join(', ').replace(/, ([^,]*)$/, ' and $1')}`
}

function styleSentence({ mail, value }: Told): string {
  const place = value.places.find(({ standsAlone }) => standsAlone) ?? value.places[0]
  const line = mail.lines[place?.line ?? -1]
  if (place === undefined || line === undefined) return 'It is not set off'
  const { style, isLink } = styleAt(line, place.start) ?? {}
  if (isLink === true) return 'It is the text of a link'
  const facts = [
    ...(line.isJoined ? ['with a box or line for each part'] : []),
    ...(style !== undefined && style.fontSizePx >= LARGE_PX ? ['large'] : []),
    ...(style?.isBold === true ? ['bold'] : []),
    ...(style?.isMonospace === true ? ['monospaced'] : []),
  ]
  if (place.standsAlone) return ['It is alone in its line', ...facts].join(', ')
  if (facts.length === 0) return 'It is not set off from its line'
  return `In its line it is ${facts.join(', ')}`
}

const SIGN = /[^\p{L}\p{N}\p{M}\s]/u

function signSentence({ mail, value }: Told): string | null {
  for (const { line, start, end } of value.places) {
    const text = mail.lines[line]?.text ?? ''
    const before = text.slice(0, start).trimEnd().slice(-1)
    const after = text.slice(end).trimStart().slice(0, 1)
    if (SIGN.test(before) && SIGN.test(after)) return `It stands between ‘${before}’ and ‘${after}’`
    if (SIGN.test(before)) return `‘${before}’ is before it`
    if (SIGN.test(after)) return `‘${after}’ is behind it`
  }
  return null
}

function subjectSentence({ mail }: Told): string | null {
  const text = mail.lines.find(({ source }) => source === 'subject')?.text ?? ''
  return text === '' ? null : `The subject is ‘${start(text)}’`
}

const ZONE_STARTS = [
  'It stands after',
  'It is followed by',
  'The text before it says',
  'The text after it says',
  'Shortly before it the mail says',
  ...['', '', 'The cell above it says'],
]

/** Its place among the zones of a value. */
const COLUMN_HEAD = 5

/** Meanings that speak for a code. */
const FOR_CODES = bitsOf(
  ...(['code', 'compound', 'otp', 'pin', 'password', 'once', 'verify', 'login', 'enter'] as const),
  ...(['valid', 'keep'] as const),
)

/** What stands around it, in the first of its places where there is something. */
function zoneSentence(at: number, { mail, value, share }: Told): string | null {
  for (const place of value.places) {
    const zone = zonesOf(mail, place)[at === ZONE.columnHead ? COLUMN_HEAD : at]
    if (zone === undefined || zone.line < 0) continue
    const text = mail.lines[zone.line]?.text.slice(zone.start, zone.end) ?? ''
    if (!/[\p{L}\p{N}]/u.test(text)) continue
    const said = `${ZONE_STARTS[at]} ‘${at === ZONE.left ? ending(text) : start(text)}’`
    const concepts = mail
      .line(zone.line)
      .hits.filter((hit) => hit.start >= zone.start && hit.end <= zone.end)
      .reduce((bits, hit) => bits | hit.concepts, 0)
    const other = CONCEPTS.find((concept) => (concepts & BIT[concept] & ~FOR_CODES) !== 0)
    return share > 0 || other === undefined ? said : `${said}, which speaks of ${SPEAKS_OF[other]}`
  }
  if (at === ZONE.left) return 'Nothing is before it in its sentence'
  return at === ZONE.right ? 'Nothing is behind it in its sentence' : null
}

function meaningSentence({ mail }: Told, topic: string): string | null {
  const concept = CONCEPTS.find((one) => one === topic)
  if (concept === undefined) return null
  for (const [index, { source, text }] of mail.lines.entries()) {
    if (source === 'subject' || source === 'hidden') continue
    const hit = mail.line(index).hits.find(({ concepts }) => (concepts & BIT[concept]) !== 0)
    if (hit === undefined) continue
    return `The mail speaks of ${SPEAKS_OF[concept]}: ‘${start(text.slice(hit.start, hit.end))}’`
  }
  return null
}

function clear(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}

/** The first words of a text. */
function start(text: string): string {
  const whole = clear(text)
  return whole.length <= QUOTED_CHARS_MAX ? whole : `${whole.slice(0, QUOTED_CHARS_MAX).trimEnd()}…`
}

/** The last words of a text. */
function ending(text: string): string {
  const whole = clear(text)
  if (whole.length <= QUOTED_CHARS_MAX) return whole
  return `…${whole.slice(-QUOTED_CHARS_MAX).trimStart()}`
}
