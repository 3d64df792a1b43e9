import { codeAt } from '../text/code-at.ts'
import type { Candidate } from './candidates.ts'
import { FAMILY, type FeatureList, mixed } from './feature-list.ts'
import { FOLDED, KIND, KINDS, kindAt } from './fold.ts'
import { LARGE_PX, type Line, styleAt } from './lines.ts'
import type { Shape } from './placed-value.ts'
import type { Value } from './values.ts'
import {
  firstFrom,
  HASH_START,
  hashStep,
  isNumberHash,
  type MailText,
  type Words,
} from './words.ts'
import { ZONE, type Zone, zonesOf } from './zones.ts'

/** What a feature is a reason of; below zones and meanings have numbers of their own. */
export const REASON = {
  bias: 0,
  form: 1,
  number: 2,
  place: 3,
  setOff: 4,
  signs: 5,
  subject: 6,
  body: 7,
  length: 8,
  /** Plus the kind of the zone. */
  zone: 16,
  /** Plus the meaning. */
  subjectMeaning: 32,
  bodyMeaning: 64,
} as const

/** Words of the mail that are read: mails with a code have a tenth. */
const WORDS_MAX = 1_000

/** Places of a value that are looked at. */
const PLACES_MAX = 4

/** Words of a zone, and those whose distance counts. */
const ZONE_WORDS_MAX = 12
const NEAR_WORDS_MAX = 4

/** Letters of the pieces of words. */
const PIECE_MIN = 4
const PIECE = 5

const SHAPES: Readonly<Record<Shape, number>> = { digits: 0, mixed: 1, letters: 2, words: 3 }

/** What a mail is about, for the features of its values. */
export interface MailTopic {
  /** Meanings of the words of the body. */
  readonly body: number
  readonly size: number
}

/** Small numbers exactly, large ones by their size. */
function sized(count: number): number {
  if (count <= 4) return count
  if (count <= 7) return 5
  if (count <= 12) return 8
  return count <= 25 ? 13 : 26
}

function eachBit(bits: number, visit: (bit: number) => void): void {
  for (let rest = bits; rest !== 0; ) {
    const bit = 31 - Math.clz32(rest)
    visit(bit)
    rest &= ~(1 << bit)
  }
}

/** Adds the features of a mail as a whole. */
export function addMail(mail: MailText, list: FeatureList): MailTopic {
  let body = 0
  let subject = 0
  let count = 0
  for (const [index, line] of mail.lines.entries()) {
    if (line.source === 'hidden' || line.first !== index || count > WORDS_MAX) continue
    const { words, hits } = mail.line(index)
    count += words.hashes.length
    const isSubject = line.source === 'subject'
    for (const { concepts } of hits) {
      if (isSubject) subject |= concepts
      else body |= concepts
    }
    if (isSubject) addSubject(line.text, words, list)
    else addBody(line.text, words, list)
  }
  const { mailMeaning } = FAMILY
  eachBit(subject, (bit) => list.add(mailMeaning, REASON.subjectMeaning + bit, 100 + bit))
  eachBit(body, (bit) => list.add(mailMeaning, REASON.bodyMeaning + bit, 200 + bit))
  const size = Math.min(10, Math.floor(Math.log2(count + 1)))
  list.add(mailMeaning, REASON.length, 300 + size)
  return { body, size }
}

function addSubject(text: string, { starts, ends, hashes }: Words, list: FeatureList): void {
  let before = 0
  for (const [at, hash] of hashes.entries()) {
    list.add(FAMILY.subject, REASON.subject, mixed(hash, 1))
    if (before !== 0) list.add(FAMILY.subject, REASON.subject, mixed(mixed(before, hash), 2))
    before = hash
    if (isNumberHash(hash)) continue
    const word = { text, start: starts[at] ?? 0, end: ends[at] ?? 0 }
    addPieces(word, PIECE - 1, (piece) => list.add(FAMILY.subject, REASON.subject, mixed(piece, 3)))
    addPieces(word, PIECE, (piece) => list.add(FAMILY.subject, REASON.subject, mixed(piece, 4)))
  }
}

function addBody(text: string, { starts, ends, hashes }: Words, list: FeatureList): void {
  for (const [at, hash] of hashes.entries()) {
    if (isNumberHash(hash)) continue
    list.add(FAMILY.body, REASON.body, mixed(hash, 5))
    const word = { text, start: starts[at] ?? 0, end: ends[at] ?? 0 }
    if (word.end - word.start < PIECE_MIN) continue
    addPieces(word, PIECE, (piece) => list.add(FAMILY.body, REASON.body, mixed(piece, 6)))
  }
}

interface TextWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Each piece of so many letters; the beginning and the end of the word count as letters. */
function addPieces(word: TextWord, size: number, visit: (piece: number) => void): void {
  const { text, start, end } = word
  for (let from = start - 1; from + size <= end + 1; from += 1) {
    let piece = HASH_START
    for (let at = from; at < from + size; at += 1) {
      piece = hashStep(piece, at < start ? 1 : at >= end ? 2 : (FOLDED[codeAt(text, at)] ?? 0))
    }
    visit(piece)
  }
}

/** A value of a mail. */
export interface ValueOfMail {
  readonly mail: MailText
  readonly value: Value
  readonly topic: MailTopic
}

/** Adds the features of a value. */
export function addValue({ mail, value, topic }: ValueOfMail, list: FeatureList): void {
  addForm(value, topic, list)
  const sources = new Set(value.places.map(({ line }) => mail.lines[line]?.source ?? 'hidden'))
  const where = [...sources].reduce((bits, source) => bits | (1 << SOURCES.indexOf(source)), 0)
  const { form } = FAMILY
  list.add(form, REASON.place, 400 + where)
  list.add(form, REASON.place, 500 + 2 * where + Number(value.standsAlone))
  list.add(form, REASON.place, 600 + Math.min(4, value.places.length))
  for (const place of value.places.slice(0, PLACES_MAX)) {
    const line = mail.lines[place.line]
    if (line === undefined) continue
    const part = line.source === 'subject' ? 1 : line.source === 'preheader' ? 2 : 0
    if (line.source === 'hidden') list.add(form, REASON.place, 700)
    else addPlace({ mail, line, place, part, value, topic }, list)
  }
}

const SOURCES: readonly Line['source'][] = ['subject', 'html', 'text', 'preheader', 'hidden']

/** Shape and length. */
function formOf({ shape, value }: Value): number {
  return SHAPES[shape] + 4 * Math.min(value.length, 30)
}

function addForm(value: Value, { size }: MailTopic, list: FeatureList): void {
  const { shape, standsAlone, groups } = value
  const kind = SHAPES[shape]
  const alone = Number(standsAlone)
  const form = formOf(value)
  const add = (reason: number, name: number, part: number): void =>
    list.add(FAMILY.form, reason, mixed(name, part))
  add(REASON.bias, 1, 0)
  add(REASON.form, 2, kind)
  add(REASON.form, 3, form)
  add(REASON.form, 4, 2 * form + alone)
  add(REASON.form, 5, kind + 4 * Math.min(5, groups))
  if (value.hasPrefix) add(REASON.form, 6, 0)
  for (const [at, pattern] of PATTERNS.entries()) {
    if (!pattern.test(value.value)) continue
    add(REASON.form, 7, at)
    add(REASON.form, 8, 2 * at + alone)
  }
  const letters = value.value.replaceAll(/[^A-Za-z]/g, '').length
  const vowels = value.value.replaceAll(/[^aeiouy]/gi, '').length
  if (letters >= 3) add(REASON.form, 9, Math.round((5 * vowels) / letters))
  add(REASON.number, 10, sized(value.alike))
  add(REASON.number, 11, sized(value.sameShape))
  add(REASON.number, 12, sized(value.others))
  add(REASON.number, 13, 2 * sized(value.othersAlone) + alone)
  add(REASON.number, 17, 4 * value.nesting + kind)
  if (value.isFirst) add(REASON.number, 14, kind)
  add(REASON.number, 15, sized(value.index))
  add(REASON.length, 16, 16 * kind + size)
}

/** What a value looks like. The first is told to the reader. */
export const PATTERNS: readonly RegExp[] = [
  /^(?:19|20)\d\d$/,
  /00$/,
  /^0/,
  /^(.)\1+$/,
  /^\d+$/,
  /^[A-Z]+$/,
  /^[a-z]+$/,
  /^(?=.*\d)(?=.*[A-Z])[A-Z\d]+$/,
  /^(?=.*\d)(?=.*[a-z])[a-z\d]+$/,
  /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z\d]+$/,
  /^[A-Z]{2,}\d+$/,
  /^[A-Z]{3,}(?:10|15|20|25|30|40|50)$/,
  /[A-Z]\d+[A-Z]|\d[A-Z]+\d/i,
  /_/,
  /^[A-Z][a-z]+(?:[ -][A-Z][a-z]+)+$/,
]

/** One place of a value. */
interface Place extends ValueOfMail {
  readonly line: Line
  readonly place: Candidate
  /** 1 in the subject, 2 in the preview text. */
  readonly part: number
}

function addPlace(at: Place, list: FeatureList): void {
  const { mail, line, place, part, value } = at
  const { form } = FAMILY
  const quarter = Math.floor((4 * place.line) / mail.lines.length)
  list.add(form, REASON.place, mixed(20 + part, quarter))
  list.add(form, REASON.place, mixed(23 + part, sized(place.line)))
  if (place.standsAlone) list.add(form, REASON.setOff, 800 + part)
  if (place.beginsLine) list.add(form, REASON.setOff, 810 + part)
  if (!LETTER_OR_DIGIT.test(line.text.slice(place.end, place.end + 40))) {
    list.add(form, REASON.setOff, 820 + part)
  }
  if (value.shape === 'letters' || value.shape === 'words') addOwnWords(at, list)
  addStyle(at, list)
  addSigns(at, list)
  addMeanings(at, list)
}

/** The words that it is made of: `thanks`, alone in a line, is no code. */
function addOwnWords({ mail, place }: Place, list: FeatureList): void {
  const { starts, hashes } = mail.line(place.line).words
  const end = firstFrom(starts, place.end)
  for (let at = firstFrom(starts, place.start); at < end; at += 1) {
    list.add(FAMILY.form, REASON.form, mixed(hashes[at] ?? 0, 18))
  }
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

function addStyle({ line, place, value }: Place, list: FeatureList): void {
  const form = formOf(value)
  const add = (fact: number): void => {
    list.add(FAMILY.style, REASON.setOff, mixed(30, fact))
    list.add(FAMILY.style, REASON.setOff, mixed(31 + fact, form))
  }
  if (line.isJoined) add(0)
  if (place.standsAlone) add(1)
  if (line.cell !== null) list.add(FAMILY.style, REASON.setOff, 50 + Number(place.standsAlone))
  const stretch = styleAt(line, place.start)
  if (stretch === null) return
  const { style } = stretch
  if (style.fontSizePx >= LARGE_PX) add(2)
  if (style.letterSpacingPx >= 1.5) add(3)
  if (style.isBold) add(4)
  if (style.isMonospace) add(5)
  if (place.standsAlone && (style.isCentred || line.isCentred)) add(6)
  if (stretch.isLink) add(7)
}

/** What a character is for what stands beside it. */
function signOf(text: string, at: number): number {
  const kind = kindAt(text, at)
  if (kind === KIND.other) return 16 + codeAt(text, at)
  return kind === KIND.joined || kind === KIND.prefixing ? KIND.letter : kind
}

const DOMAIN_BOUND = /^\s*@[\w.-]+\s+#/

function addSigns({ line: { text }, place: { start, end }, part }: Place, list: FeatureList): void {
  let left = start - 1
  while (left >= 0 && KINDS[codeAt(text, left)] === KIND.space) left -= 1
  let right = end
  while (right < text.length && KINDS[codeAt(text, right)] === KIND.space) right += 1
  const before = signOf(text, left)
  const after = signOf(text, right)
  const add = (name: number, sign: number): void =>
    list.add(FAMILY.signs, REASON.signs, mixed(name, sign))
  add(40, signOf(text, start - 1))
  add(41, signOf(text, end))
  add(42, before)
  add(43, after)
  add(44 + part, mixed(before, after))
  // `@shop.example #314097`
  if (text.charAt(left) === '#' && DOMAIN_BOUND.test(text)) add(47, part)
}

function addMeanings({ mail, place, part, value, topic }: Place, list: FeatureList): void {
  const zones = zonesOf(mail, place)
  const kind = 2 * SHAPES[value.shape] + Number(value.standsAlone)
  const bits = zones.map((zone) => addZone({ mail, zone, part, kind }, list))
  const near = (bits[0] ?? 0) | (bits[1] ?? 0)
  const before = bits[2] ?? 0
  const pair = (name: number, one: number, other: number): void =>
    list.add(FAMILY.meaningPair, REASON.zone + ZONE.left, mixed(mixed(60 + name, one), other))
  eachBit(near, (one) => {
    pair(1, one, 32 * kind + value.value.length)
    eachBit(near, (other) => {
      if (one < other) pair(2, one, other)
    })
    eachBit(before, (other) => pair(3, one, other))
  })
  const isAlone = zones[2]?.kind === ZONE.beforeAlone
  if (isAlone) {
    eachBit(before, (one) =>
      eachBit(before, (other) => {
        if (one >= other) return
        const hash = mixed(mixed(64, one), other)
        list.add(FAMILY.meaningPair, REASON.zone + ZONE.beforeAlone, hash)
      }),
    )
  }
  if (near === 0) {
    eachBit(topic.body, (bit) => {
      list.add(FAMILY.meaningPair, REASON.bodyMeaning + bit, mixed(65, bit))
    })
  }
}

const AFTER: ReadonlySet<number> = new Set([ZONE.right, ZONE.after, ZONE.afterAlone])

interface ZoneOfPlace {
  readonly mail: MailText
  readonly zone: Zone
  readonly part: number
  /** Shape of the value, and whether it stands alone. */
  readonly kind: number
}

/** Adds words and meanings of a zone; returns the meanings. */
function addZone({ mail, zone, part, kind }: ZoneOfPlace, list: FeatureList): number {
  const name = 1_000 + 3 * zone.kind + part
  const reason = REASON.zone + zone.kind
  if (zone.line < 0) return 0
  const isBefore = !AFTER.has(zone.kind)
  const { words, hits: all } = mail.line(zone.line)
  const first = firstFrom(words.starts, zone.start)
  const wordCount = firstFrom(words.starts, zone.end) - first
  list.add(FAMILY.form, reason, mixed(94, mixed(name, sized(wordCount))))
  for (let step = 0; step < Math.min(wordCount, ZONE_WORDS_MAX); step += 1) {
    const word = words.hashes[isBefore ? first + wordCount - 1 - step : first + step] ?? 0
    const hash = mixed(word, name)
    list.add(FAMILY.words, reason, hash)
    if (step >= NEAR_WORDS_MAX || zone.kind === ZONE.twoBefore) continue
    list.add(FAMILY.near, reason, mixed(hash, step))
  }
  let bits = 0
  let count = 0
  let last = 0
  for (let step = 0; step < all.length; step += 1) {
    const hit = all[isBefore ? all.length - 1 - step : step]
    if (hit === undefined || hit.start < zone.start || hit.end > zone.end) continue
    bits |= hit.concepts
    const distance = isBefore ? zone.end - hit.end : hit.start - zone.start
    const far = distance <= 3 ? 0 : distance <= 12 ? 1 : distance <= 40 ? 2 : 3
    const isNearest = count === 0
    eachBit(hit.concepts, (bit) => {
      const meant = mixed(name, bit)
      list.add(FAMILY.meaningNear, reason, mixed(70 + far, meant))
      if (!isNearest) return
      list.add(FAMILY.meaningNear, reason, mixed(74, meant))
      list.add(FAMILY.meaningPair, reason, mixed(75 + kind, meant))
    })
    if (count > 0 && count < 4) {
      list.add(FAMILY.meaningPair, reason, mixed(mixed(90, mixed(last, hit.concepts)), name))
    }
    last = hit.concepts
    count += 1
  }
  if (count > 0) list.add(FAMILY.meaningPair, reason, mixed(mixed(91, bits), name))
  else list.add(FAMILY.meaning, reason, mixed(92, name))
  eachBit(bits, (bit) => list.add(FAMILY.meaning, reason, mixed(93, mixed(name, bit))))
  return bits
}
