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
  'no nr num ref tel st str dr mr mrs ms art abs ca bzw br ul al pl np av apt ext tlf'.split(' '),
)

/** Whether a sentence ends here. Dots in numbers, initials and abbreviations do not end one. */
export function isStop(text: string, at: number): boolean {
  const stop = STOPS[text.charCodeAt(at)]
  if (stop !== MAY_END) return stop === ENDS
  const next = kindAt(text, at + 1)
  if (at + 1 < text.length && next !== KIND.space) return false
  if (isLeader(text, at)) return false
  let from = at
  while (from > at - 4 && kindAt(text, from - 1) === KIND.letter) from -= 1
  const letters = at - from
  if (letters === 1) return kindAt(text, from - 1) === KIND.digit
  if (letters > 3) return true
  return !ABBREVIATIONS.has(foldWord(text.slice(from, at))) && !continues(text, at + 2)
}

/** No sentence begins with a lower-case letter, and few begin with a digit. */
function continues(text: string, at: number): boolean {
  const sign = text.charAt(at)
  return sign !== sign.toUpperCase() || kindAt(text, at) === KIND.digit
}
