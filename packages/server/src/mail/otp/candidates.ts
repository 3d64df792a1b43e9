import { KIND, KINDS } from './fold.ts'
import { type Group, groupsOf, type Shape } from './groups.ts'
import type { Line } from './line.ts'
import { tokensOf } from './tokens.ts'

/** Something in the mail that could be typed as a code. */
export interface Candidate {
  readonly value: string
  readonly shape: Shape
  /** Letters before a dash that are no part of it: `G-`. */
  readonly prefix: string
  readonly groups: number
  /** Digits, or capitals and digits. */
  readonly isNumeric: boolean
  /** Index of its line. */
  readonly line: number
  readonly start: number
  readonly end: number
  /** Nothing else that could be read stands in its line. */
  readonly standsAlone: boolean
  /** Nothing that could be read stands before it in its line. */
  readonly beginsLine: boolean
}

/** Candidates looked at in one mail: many times what any mail with a code has. */
const CANDIDATES_MAX = 300

/** Candidates taken of one line, so that a table of figures does not hide what follows it. */
const LINE_CANDIDATES_MAX = 60

/** Everything that has the form of a code, in the order of the lines. */
export function candidatesOf(lines: readonly Line[]): readonly Candidate[] {
  const candidates: Candidate[] = []
  for (const [index, line] of lines.entries()) {
    if (candidates.length >= CANDIDATES_MAX) break
    const found = candidatesIn(line, index)
    candidates.push(
      ...(found.length > LINE_CANDIDATES_MAX ? found.slice(0, LINE_CANDIDATES_MAX) : found),
    )
  }
  return candidates
}

function candidatesIn(line: Line, index: number): readonly Candidate[] {
  const { text } = line
  const tokens = tokensOf(text)
  if (tokens.length === 0) return []
  const found: Candidate[] = []
  for (const group of groupsOf(text, tokens)) {
    const beginsLine = isSilent(text, 0, group.start)
    const standsAlone = beginsLine && isSilent(text, group.end, text.length)
    if (!isPlausible(group, text, { standsAlone, isJoined: line.isJoined })) continue
    found.push({
      value: group.value,
      shape: group.shape,
      prefix: group.prefix,
      groups: group.parts,
      isNumeric: /^(?=.*\d)[A-Z\d]+$/.test(group.value),
      line: index,
      start: group.start,
      end: group.end,
      standsAlone,
      beginsLine,
    })
  }
  return found
}

interface Stand {
  readonly standsAlone: boolean
  readonly isJoined: boolean
}

/** Words of a language are everywhere; they are codes only where nothing else can be meant. */
function isPlausible(group: Group, text: string, { standsAlone }: Stand): boolean {
  if (group.shape === 'digits' || group.shape === 'mixed') return true
  if (standsAlone) return true
  if (group.shape === 'words') return group.separator === '-' && followsColon(text, group.start)
  return followsColon(text, group.start) || group.parts > 1 || looksRandom(group.value)
}

function followsColon(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && KINDS[text.charCodeAt(at)] === KIND.space) at -= 1
  return ':：=՝፦'.includes(text.charAt(at)) && at >= 0
}

/** Capitals that no word of any language is made of. */
function looksRandom(value: string): boolean {
  if (value.length < 5 || /[a-z]/.test(value)) return false
  return value.replaceAll(/[^AEIOUY]/g, '').length * 5 <= value.length
}

function isSilent(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const kind = KINDS[text.charCodeAt(at)]
    if (kind === KIND.letter || kind === KIND.joined || kind === KIND.prefixing) return false
    if (kind === KIND.digit) return false
  }
  return true
}
