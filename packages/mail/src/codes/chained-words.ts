import { codeAt } from '../text/code-at.ts'
import { KIND, KINDS } from './fold.ts'

/** Characters between words of one label: `code de la réservation`. */
const CHAIN_GAP_MAX = 7

/** Punctuation or a number that separates two words. */
const SEPARATING = /[\p{Nd},;:()|!?«»‹›→>"[\]/•·。，、；：（）！？،؛]|\s[-–—]\s/u

/** Whether two words belong to one name: only a short word may stand between. */
export function isChained(text: string, end: number, start: number): boolean {
  const length = start - end
  if (length <= 0) return true
  if (length > CHAIN_GAP_MAX) return false
  return isSpace(text, end, start) || !SEPARATING.test(text.slice(end, start))
}

/** Whether there is one space between two words, as there mostly is. */
function isSpace(text: string, end: number, start: number): boolean {
  return start - end === 1 && codeAt(text, end) === 0x20
}

/** Whether another word stands between two words. */
export function isPhrase(text: string, end: number, start: number): boolean {
  for (let at = end; at < start; at += 1) {
    const kind = KINDS[codeAt(text, at)]
    if (kind === KIND.letter || kind === KIND.prefixing || kind === KIND.joined) return true
  }
  return false
}
