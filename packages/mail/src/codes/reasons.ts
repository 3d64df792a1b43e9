import { BIT, bitsOf, CONCEPTS, SPEAKS_OF } from './concepts.ts'
import { PATTERNS, REASON } from './features.ts'
import { type RankedValue, type Ranking, sharesOf } from './rank.ts'
import { LARGE_PX, styleAt, type Value } from './values.ts'
import type { MailText } from './words.ts'
import { ZONE, zonesOf } from './zones.ts'

/** A sentence for or against a value, and what it counts in the logarithm of the odds. */
interface Reason {
  readonly text: string
  readonly share: number
}

/** Sentences for and against a value. */
const REASONS_MAX = 5

/** A reason that counts less than this, or than this part of the strongest, is not told. */
const SHARE_MIN = 0.1
const PART_MIN = 0.04

/** The strongest reasons for and against a value, strongest first. */
export function reasonsOf(ranking: Ranking, ranked: RankedValue) {
  const all = allReasons(ranking, ranked)
  const least = Math.max(
    SHARE_MIN,
    PART_MIN * Math.max(0, ...all.map(({ share }) => Math.abs(share))),
  )
  const told = all.filter(({ share }) => Math.abs(share) >= least).slice()
  const strongest = told.sort((one, other) => Math.abs(other.share) - Math.abs(one.share))
  const texts = (sign: number) =>
    strongest
      .filter(({ share }) => Math.sign(share) === sign)
      .slice(0, REASONS_MAX)
      .map(({ text }) => text)
  return { reasonsFor: texts(1), reasonsAgainst: texts(-1) }
}

/** All that counts for or against a value and can be told. */
function allReasons(ranking: Ranking, ranked: RankedValue): readonly Reason[] {
  const shares = new Map<string, number>()
  for (const [reason, share] of sharesOf(ranking, ranked)) {
    const topic = topicOf(reason)
    shares.set(topic, (shares.get(topic) ?? 0) + share)
  }
  const teller = new Teller(ranking.mail, ranked.value)
  return Array.from(shares, ([topic, share]) => {
    const text = teller.tell(topic, share)
    return text === null ? [] : [{ text, share }]
  }).flat()
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

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
]

/** Meanings that speak for a code. */
const FOR_CODES = bitsOf(
  ...(['code', 'compound', 'otp', 'pin', 'password', 'once', 'verify', 'login', 'enter'] as const),
  ...(['valid', 'keep'] as const),
)

const QUOTED_CHARS_MAX = 60

/** Writes the sentences about one value. */
class Teller {
  readonly #mail: MailText
  readonly #value: Value

  constructor(mail: MailText, value: Value) {
    this.#mail = mail
    this.#value = value
  }

  /** The sentence for a topic; null if nothing can be said. */
  tell(topic: string, share: number): string | null {
    switch (topic) {
      case 'form':
        return this.#form()
      case 'number':
        return this.#number()
      case 'where':
        return this.#where()
      case 'setOff':
        return this.#setOff()
      case 'signs':
        return this.#signs()
      case 'subject':
        return this.#subject()
      case 'body':
        return `The words of the mail are those of mails ${share > 0 ? 'with' : 'without'} a code`
      case 'bias':
        return null
      default:
        return this.#zone(topic, share) ?? this.#meaning(topic)
    }
  }

  #form(): string {
    const { value, shape, groups, hasPrefix } = this.#value
    if (PATTERNS[0]?.test(value) === true) return 'It looks like a year'
    const inGroups = groups > 1 ? ` in ${NUMBERS[groups] ?? groups} groups` : ''
    const behind = hasPrefix ? ', behind a prefix' : ''
    if (shape === 'digits')
      return `It has ${NUMBERS[value.length] ?? value.length} digits${inGroups}${behind}`
    if (shape === 'mixed') return `It has ${value.length} letters and digits${inGroups}`
    return shape === 'letters' ? `It has ${value.length} letters${inGroups}` : 'It is made of words'
  }

  #number(): string {
    const { alike, others, index } = this.#value
    if (others === 0) return 'Nothing else in the mail has the form of a code'
    if (alike === 0) return 'It is the only one of its form'
    const count = NUMBERS[alike] ?? String(alike)
    const many = alike === 1 ? 'One other value has' : `${capital(count)} other values have`
    return index === 0
      ? `It is the first, but ${lower(many)} the same form`
      : `${many} the same form`
  }

  #where(): string {
    const sources = new Set(this.#value.places.map(({ line }) => this.#mail.lines[line]?.source))
    const names = [
      ...(sources.has('subject') ? ['the subject'] : []),
      ...(sources.has('html') ? ['the HTML'] : []),
      ...(sources.has('text') ? ['the text part'] : []),
    ]
    if (names.length === 0) return 'It is in text that is not shown'
    const last = names.at(-1) ?? ''
    return `It is in ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`}`
  }

  #setOff(): string {
    const place = this.#value.places.find(({ standsAlone }) => standsAlone) ?? this.#value.places[0]
    const line = this.#mail.lines[place?.line ?? -1]
    if (place === undefined || line === undefined) return 'It is not set off'
    const stretch = styleAt(line, place.start)
    const style = stretch?.style
    const facts = [
      ...(line.isJoined ? ['with a box or line for each part'] : []),
      ...(style !== undefined && style.fontSizePx >= LARGE_PX ? ['large'] : []),
      ...(style?.isBold === true ? ['bold'] : []),
      ...(style?.isMonospace === true ? ['monospaced'] : []),
    ]
    if (stretch?.isLink === true) return 'It is the text of a link'
    if (place.standsAlone) return ['It is alone in its line', ...facts].join(', ')
    return facts.length > 0
      ? `In its line it is ${facts.join(', ')}`
      : 'It is not set off from its line'
  }

  #signs(): string | null {
    for (const { line, start, end } of this.#value.places) {
      const text = this.#mail.lines[line]?.text ?? ''
      const before = text.slice(0, start).trimEnd().slice(-1)
      const after = text.slice(end).trimStart().slice(0, 1)
      if (SIGN.test(before) && SIGN.test(after))
        return `It stands between ‘${before}’ and ‘${after}’`
      if (SIGN.test(before)) return `‘${before}’ is before it`
      if (SIGN.test(after)) return `‘${after}’ is behind it`
    }
    return null
  }

  #subject(): string | null {
    const text = this.#mail.lines.find(({ source }) => source === 'subject')?.text ?? ''
    return text === '' ? null : `The subject is ‘${start(text)}’`
  }

  /** What stands around it, in the first of its places where there is something. */
  #zone(topic: string, share: number): string | null {
    const at = ZONE_TOPICS.indexOf(topic)
    if (at < 0) return null
    for (const place of this.#value.places) {
      const zone = zonesOf(this.#mail, place)[at === ZONE.columnHead ? COLUMN_HEAD : at]
      if (zone === undefined || zone.line < 0) continue
      const text = this.#mail.lines[zone.line]?.text.slice(zone.start, zone.end).trim() ?? ''
      if (!/[\p{L}\p{N}]/u.test(text)) continue
      const quoted = `‘${at === ZONE.left ? ending(text) : start(text)}’`
      const said = `${ZONE_STARTS[at]} ${quoted}`
      const concepts = this.#mail
        .line(zone.line)
        .hits.filter((hit) => hit.start >= zone.start && hit.end <= zone.end)
        .reduce((bits, hit) => bits | hit.concepts, 0)
      const other = CONCEPTS.find((concept) => (concepts & BIT[concept] & ~FOR_CODES) !== 0)
      return share < 0 && other !== undefined
        ? `${said}, which speaks of ${SPEAKS_OF[other]}`
        : said
    }
    if (at === ZONE.left) return 'Nothing is before it in its sentence'
    return at === ZONE.right ? 'Nothing is behind it in its sentence' : null
  }

  #meaning(topic: string): string | null {
    const concept = CONCEPTS.find((one) => one === topic)
    if (concept === undefined) return null
    for (const [index, { source, text }] of this.#mail.lines.entries()) {
      if (source === 'subject' || source === 'hidden') continue
      const { hits } = this.#mail.line(index)
      const hit = hits.find(({ concepts }) => (concepts & BIT[concept]) !== 0)
      if (hit === undefined) continue
      return `The mail speaks of ${SPEAKS_OF[concept]}: ‘${start(text.slice(hit.start, hit.end))}’`
    }
    return null
  }
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

const SIGN = /[^\p{L}\p{N}\p{M}\s]/u

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The first words of a text. */
function start(text: string): string {
  const clear = text.trim().replaceAll(/\s+/g, ' ')
  return clear.length <= QUOTED_CHARS_MAX ? clear : `${clear.slice(0, QUOTED_CHARS_MAX).trimEnd()}…`
}

/** The last words of a text. */
function ending(text: string): string {
  const clear = text.trim().replaceAll(/\s+/g, ' ')
  return clear.length <= QUOTED_CHARS_MAX ? clear : `…${clear.slice(-QUOTED_CHARS_MAX).trimStart()}`
}
