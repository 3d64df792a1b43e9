import { codeAt } from '../text/code-at.ts'
import { foldWord, KIND, kindAt } from './fold.ts'
import { isLeader } from './tokens.ts'

/** Characters that always end a sentence, and the dot, which may. */
const ENDS = 1
const MAY_END = 2
const STOPS = new Uint8Array(0x10000)
for (const sign of '!?|•;。！？；।॥؟؛۔។။።։\n') STOPS[sign.charCodeAt(0)] = ENDS
STOPS[0x2e] = MAY_END

/** Abbreviations that precede numbers: their dot does not end a sentence. */
const ABBREVIATIONS = new Set(
  'no nr num ref tel st str dr mr mrs ms art abs ca bzw br ul al pl np av apt ext tlf dvs'.split(
    ' ',
  ),
)

/** Whether a sentence may end here: nearly always not, and then nothing else is looked at. */
export function mayStop(text: string, at: number): boolean {
  return STOPS[codeAt(text, at)] !== 0
}

/** Whether a sentence ends here. Dots in numbers, initials and abbreviations do not end one. */
export function isStop(text: string, at: number): boolean {
  const stop = STOPS[codeAt(text, at)]
  if (stop !== MAY_END) return stop === ENDS
  const next = kindAt(text, at + 1)
  if (at + 1 < text.length && next !== KIND.space) return false
  if (isLeader(text, at)) return false
  let from = at
  while (from > at - 4 && kindAt(text, from - 1) === KIND.letter) from -= 1
  const letters = at - from
  if (letters === 0 && isBetweenNumbers(text, at)) return true
  if (letters === 1) return kindAt(text, from - 1) === KIND.digit
  if (letters > 3) return true
  return !continues(text, at + 2) && !ABBREVIATIONS.has(foldWord(text.slice(from, at)))
}

/** `Order 77120. 482913 is your code`; the numbers of a date are shorter. */
function isBetweenNumbers(text: string, at: number): boolean {
  return areDigits(text, at - 3, at) && areDigits(text, at + 2, at + 6)
}

function areDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (kindAt(text, at) !== KIND.digit) return false
  }
  return true
}

/** No sentence begins with a lower-case letter, and few begin with a digit. */
function continues(text: string, at: number): boolean {
  const sign = text.charAt(at)
  return sign !== sign.toUpperCase() || kindAt(text, at) === KIND.digit
}

/** Characters of a sentence that are read before and after a position. */
const REACH_BEFORE = 170
const REACH_AFTER = 90

/** Where the sentence that contains a position begins. */
export function clauseStart(text: string, place: number): number {
  const limit = Math.max(0, place - REACH_BEFORE)
  for (let at = place - 1; at >= limit; at -= 1) {
    if (mayStop(text, at) && isStop(text, at)) return at + 1
  }
  return limit
}

/** Where the sentence that contains a position ends. */
export function clauseEnd(text: string, place: number): number {
  const limit = Math.min(text.length, place + REACH_AFTER)
  for (let at = place; at < limit; at += 1) {
    if (mayStop(text, at) && isStop(text, at)) return at
  }
  return limit
}
