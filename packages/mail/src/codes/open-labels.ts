import { CODE_LIKE } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import { foldWord } from './fold.ts'
import type { MailReader, ReadLine } from './mail-reader.ts'
import { labelLineOf } from './neighbours.ts'
import { clauseStart } from './sentences.ts'
import { followsColon } from './tokens.ts'
import { BIT } from './words/concepts.ts'

/** Meanings of a label for a code. */
const OF_CODE = CODE_LIKE | BIT.number | BIT.enter

const COLON_AT_END = /[:：՝፦]\s*$/
const WORD = /\p{L}{2}/u

/** Letters of a word that is no article or pronoun. */
const WORD_CHARS_MIN = 4

/** Whether a number has a label with a colon, or in its table, that does not mean a code. */
export function isLabelledOtherwise(mail: MailReader, candidate: Candidate): boolean {
  const line = mail.line(candidate.line)
  if (line === undefined) return false
  if (!candidate.standsAlone) {
    return followsColon(line.text, candidate.start) && isOther(line, candidate.start)
  }
  const label = labelLineOf(mail, candidate.line)
  if (label !== null) return isOther(label, label.text.length)
  const above = mail.line(candidate.line - 1)
  if (above === undefined || above.source !== line.source) return false
  return COLON_AT_END.test(above.text) && isOther(above, above.text.length)
}

/** Whether the sentence up to a position has words, and none for a code. */
function isOther({ text, hits }: ReadLine, end: number): boolean {
  const start = clauseStart(text, end)
  for (let at = firstAfter(hits, start); at < hits.length; at += 1) {
    const hit = hits[at]
    if (hit === undefined || hit.start >= end) break
    if ((hit.concepts & OF_CODE) !== 0) return false
  }
  return WORD.test(text.slice(start, end))
}

/** Whether the word for code that names a number has an unknown word beside it: `visit code`. */
export function isOfUnknown(mail: MailReader, { line: index, start }: Candidate): boolean {
  const line = mail.line(index)
  if (line === undefined) return false
  const { hits, owners } = line
  for (let at = firstAfter(hits, start) - 1; at >= 0; at -= 1) {
    const hit = hits[at]
    if (hit === undefined || owners[at] !== start) return false
    // `the code to change the password`
    if ((hit.concepts & CODE_LIKE & ~BIT.password) === 0) continue
    return isUnknownBefore(mail, line, at) || isUnknownBehind(line, at, start)
  }
  return false
}

/** Pronouns and verbs that are as long as nouns, before or behind a word for code. */
const NO_NOUNS = new Set(
  `your this here votre vuestro vostro nostro este esta esse essa seus ihre ihren dein deine jouw deze
  dette denne detta vaše vaša twój tvůj teie sinu вашият вашиот ваше ваша твой твоя сіздің თქვენი ձեր
  jūsu jūsų таны eich sizin sizning juaj yako yenu anda kamu iyong bạn zure שלך שלכם شما بك آپ आपका तुमचा तपाईंको ਤੁਹਾਡਾ
  તમારો আপনার உங்கள் మీ ನಿಮ್ಮ നിങ്ങളുടെ ඔබගේ သင့် 您的 你的 lautet lyder adalah ialah التالي unique personal
  persönlicher personnel pessoal personale persoonlijke personliga personlige henkilökohtainen osobisty
  osobní osobný личный особистий személyes kişisel الشخصي شخصی व्यक्तिगत ส่วนตัวของคุณ zurücksetzen access`
    .split(/\s+/)
    .map(foldWord),
)

/** Letters of a noun: fewer in scripts that do not write all vowels, or write syllables. */
const NOUN = /[\p{Script=Han}\p{Script=Katakana}ー]{2,}$|\p{Script=Hangul}+$|[\p{L}\p{M}]{3,}$/u
const LATIN = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]+$/u
const VIETNAMESE = /[ăâđêôơư\u1ea0-\u1ef9]/i

/** A capital inside a sentence: `your Harbor code`. */
const BRAND = /\p{L} \p{Lu}\p{Ll}+$/u

/** Characters before a word for code in which its noun is searched. */
const NOUN_CHARS_MAX = 24

function isNoun(written: string): boolean {
  const word = NOUN.exec(written)?.[0] ?? ''
  if (word === '' || NO_NOUNS.has(foldWord(word))) return false
  // Korean marks its pronouns: `귀하의 코드`.
  if (word.endsWith('의')) return false
  return !LATIN.test(word) || VIETNAMESE.test(word) || word.length >= WORD_CHARS_MIN
}

/** Whether the word before this hit is a noun that is not in the tables. */
function isUnknownBefore(mail: MailReader, { text, hits }: ReadLine, at: number): boolean {
  const start = hits[at]?.start ?? 0
  const from = Math.max(hits[at - 1]?.end ?? 0, start - NOUN_CHARS_MAX)
  const before = text.slice(from, start).replace(/ $/, '')
  return !BRAND.test(before) && isNoun(before) && !(from === 0 && isSender(mail, before))
}

/** `Parakeet` in `Parakeet code: 482913`: the mail is signed with it. */
function isSender(mail: MailReader, word: string): boolean {
  return /^\p{Lu}/u.test(word) && mail.all().some(({ text }) => text.trim() === word)
}

/** Whether the last word between this hit and the colon before a number is an unknown noun. */
function isUnknownBehind({ text, hits }: ReadLine, at: number, start: number): boolean {
  const from = hits[at]?.end ?? 0
  if (!followsColon(text, start) || (hits[at + 1]?.start ?? start) < start) return false
  return isNoun(
    text.slice(Math.max(from, start - NOUN_CHARS_MAX), start).replace(/\s*\P{L}\s*$/u, ''),
  )
}
