/** Filters whose values are words of a mail. */
const WORD_FILTERS = new Set(['from', 'to', 'cc', 'bcc', 'reply-to', 'addressed', 'subject'])

/** Filters whose values are not, or are not shown as they are written. */
const OTHER_FILTERS = new Set(
  'message-id header has is tag otp link after before larger smaller in'.split(' '),
)

/** A term of a query: a sign, a filter, and a value that may be in quotes. */
const TERM = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"?|(\S+))/gi

/** The words and phrases of a query that a matching mail contains. */
export function wordsOf(q: string): readonly string[] {
  const words: string[] = []
  for (const [term, sign, name, phrase, word] of q.matchAll(TERM)) {
    const filter = name?.toLowerCase() ?? ''
    if (sign !== '' || OTHER_FILTERS.has(filter)) continue
    const isText = filter === '' || WORD_FILTERS.has(filter)
    const { folded } = fold((isText ? (phrase ?? word) : term) ?? '')
    if (folded.trim() !== '') words.push(folded.trim())
  }
  return words
}

/** A text in parts: matches of one of the words, and the text between. */
export function markWords(
  text: string,
  words: readonly string[],
): readonly { readonly text: string; readonly isMatch: boolean }[] {
  const { folded, starts } = fold(text)
  const parts: { text: string; isMatch: boolean }[] = []
  let end = 0
  for (let at = 0; at < folded.length; ) {
    const word = words.find((one) => folded.startsWith(one, at))
    const from = starts[at] ?? text.length
    if (word === undefined || from < end) {
      at += 1
      continue
    }
    at += word.length
    const to = starts[at] ?? text.length
    parts.push({ text: text.slice(end, from), isMatch: false })
    parts.push({ text: text.slice(from, to), isMatch: true })
    end = to
  }
  parts.push({ text: text.slice(end), isMatch: false })
  return parts.filter((part) => part.text !== '')
}

/** Characters shown before the first match of a text that is cut. */
const LEAD_LENGTH = 24

/** A text from a few words before its first match on: the end of a row is cut off. */
export function fromMatch(text: string, words: readonly string[]): string {
  const [first] = words.length === 0 ? [] : markWords(text, words)
  if (first === undefined || first.isMatch || first.text === text) return text
  const lead = first.text.slice(-LEAD_LENGTH)
  if (lead === first.text) return text
  const shown = lead.slice(lead.indexOf(' ') + 1)
  return `…${shown}${text.slice(first.text.length)}`
}

/** A text without case and accents, as searches compare it, and where each character comes from. */
function fold(text: string): { folded: string; starts: readonly number[] } {
  let folded = ''
  const starts: number[] = []
  let index = 0
  for (const character of text) {
    const plain = character
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace('ß', 'ss')
      .replace(/\s+/u, ' ')
    folded += plain
    for (let i = 0; i < plain.length; i++) starts.push(index)
    index += character.length
  }
  return { folded, starts }
}
