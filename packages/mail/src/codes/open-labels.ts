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

/** Words as long as nouns that say nothing of a code: your, this, new, personal, is. */
const NO_NOUNS = new Set(
  `your this here that new fresh current latest next unique personal private secret numeric digit digits reads says access short
  votre vuestro vostro vostra nostro vostre ton teu seu sua seus este esta esse essa aqueste nouveau nouvel personnel unique secret
  nuevo nueva nuestro personal pessoal novo nova único nuovo nuova personale unico segreto seguente tuo vaš ihre ihren ihr dein deine neuer neuen neue persönlicher persönlichen
  persönliche einmaliger geheimer sechsstelliger sechsstellige vierstelliger folgender folgende lautet zurücksetzen dies dieser diesen
  jouw jullie deze dit nieuwe nieuw persoonlijke unieke geheime volgende luidt ditt denna detta nya nytt personliga unika följande lyder
  dette denne disse nye personlige unikke følgende nytt personleg þinn nýi sinun tämä uusi uuden henkilökohtainen kertakäyttöinen seuraava kuuluu
  teie sinu uus isiklik järgmine jūsu tavs jauns jaunais personīgais šāds jūsų tavo naujas naujasis asmeninis šis toks
  twój twoja twoje pański nowy nowego osobisty jednorazowy następujący brzmi tvůj tvoje váš vaše vaša nový nové osobní jednorázový následující tento zní tvoj tvoja osobný nasledujúci znie
  tvoj tvoja tvoje tvoju vaš vašu novi novu osobni jedinstveni sljedeći sledeći glasi ovaj tvoja nova osebna naslednja
  твој твоја твоје ваш ваша ваше ваше нови нова лични следећи гласи овај вашият вашия твоят твоя нов новия личен личния следният вашиот твојот нов новиот личен следниот
  твой твоя твоё твое ваше новый нового личный персональный одноразовый следующий этот свій твій твоя ваш новий особистий одноразовий наступний такий ваш твой новы асабісты наступны
  a az önöd kódod személyes új következő tău dvs dumneavoastră nou noul personal următorul este σας σου νέος νέο προσωπικός μοναδικός εξής juaj yt juaji personal ri
  sizin senin yeni kişisel şudur şöyle aşağıdaki sizin yeni şəxsi sənin сіздің жаңа жеке сенің сиздин сенин жеке sizning yangi shaxsiy shaxsan sening таны шинэ хувийн чиний шумо шумои нави
  თქვენი შენი ახალი პირადი ձեր քո նոր անձնական שלך שלכם שלכן חדש החדש אישי האישי التالي الجديد جديد الشخصي الخاص بك شما جدید شخصی تان آپ نیا نئے ذاتی ستاسو
  आपका आपके आपकी नया नये व्यक्तिगत तुमचा तुमचे नवीन वैयक्तिक तपाईंको तपाईको नयाँ व्यक्तिगत ਤੁਹਾਡਾ ਨਵਾਂ તમારો તમારું નવો આપનો আপনার আপনাদের নতুন ব্যক্তিগত তোমার
  உங்கள் புதிய தங்கள் మీ కొత్త ನಿಮ್ಮ ಹೊಸ നിങ്ങളുടെ പുതിയ ඔබගේ ඔබේ නව ส่วนตัวของคุณ ใหม่ ของคุณ ໃຫມ່ ใหม่คือ ថ្មី သင့် သင်၏ အသစ်
  anda kamu kalian baru pribadi berikut ini adalah ialah peribadi iyong inyong bagong bạn mới cá nhân sau là zure berria zein eich dy newydd personol do
  您的 你的 您 新的 新 专属 個人 本次 此次 お客様の あなたの 新しい 次の 以下の 새 새로운 나의 고객님의
  yako yenu mpya binafsi ifuatayo ni yakho entsha ithi lakho kini ku keed cusub waa gị ọhụrụ rẹ tuntun ka sabuwar ku መለያዎ አዲስ አዲሱ`
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

/** `in te voeren`, `einzugeben`, `att ange`: a verb at the end, which is no noun. */
const INFINITIVE = /(?<!\p{L})(?:te|zu|att|at|å)\s\p{L}+$|\p{L}zu\p{Ll}+en$/u

function isNoun(written: string): boolean {
  if (INFINITIVE.test(written)) return false
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
  return /^\p{Lu}/u.test(word) && mail.lines.some(({ text }) => text.trim() === word)
}

/** Whether the last word between this hit and the colon before a number is an unknown noun. */
function isUnknownBehind({ text, hits }: ReadLine, at: number, start: number): boolean {
  const from = hits[at]?.end ?? 0
  if (!followsColon(text, start) || (hits[at + 1]?.start ?? start) < start) return false
  return isNoun(
    text.slice(Math.max(from, start - NOUN_CHARS_MAX), start).replace(/\s*\P{L}\s*$/u, ''),
  )
}
