import { KIND, kindAt } from './fold.ts'

/** Characters between words of one label: `code de la réservation`. */
const CHAIN_GAP_MAX = 7

/** Punctuation or a number that separates two words. */
const SEPARATING = /[\p{Nd},;:()|!?«»‹›→>"[\]/•·。，、；：（）！？،؛]|\s[-–—]\s/u

/** Whether two words belong to one name: only a short word may stand between. */
export function isChained(text: string, end: number, start: number): boolean {
  const length = start - end
  if (length <= 0) return true
  return length <= CHAIN_GAP_MAX && !SEPARATING.test(text.slice(end, start))
}

/** Whether another word stands between two words. */
export function isPhrase(text: string, end: number, start: number): boolean {
  for (let at = end; at < start; at += 1) {
    const kind = kindAt(text, at)
    if (kind === KIND.letter || kind === KIND.prefixing || kind === KIND.joined) return true
  }
  return false
}
