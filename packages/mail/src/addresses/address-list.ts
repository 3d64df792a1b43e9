import { ADDRESSES_MAX } from '../limits.ts'
import { DefectList } from '../mime/defects.ts'
import { decodeEncodedWords } from '../mime/encoded-words.ts'

/** A mailbox of a From, To, Cc or Reply-To field; null for a missing half. */
export interface MailAddress {
  readonly name: string | null
  readonly address: string | null
}

/** The mailboxes of an address list, whatever is wrong with it. */
export function parseAddresses(value: string): readonly MailAddress[] {
  return parseAddressList(value, new DefectList())
}

/**
 * Parses an address list into its mailboxes, those of groups included.
 *
 * Accepts common errors: unquoted names, semicolons between mailboxes, missing brackets.
 */
export function parseAddressList(value: string, defects: DefectList): readonly MailAddress[] {
  const addresses: MailAddress[] = []
  const scanner = new MailboxScanner(value)
  for (let mailbox = scanner.next(); mailbox !== null; mailbox = scanner.next()) {
    const address = finish(mailbox, defects)
    if (address === null) continue
    const last = addresses.at(-1)
    const isNameAlone = last !== undefined && last.address === null && last.name !== null
    if (isNameAlone && mailbox.angle !== null && !mailbox.isAfterSemicolon) {
      // An unquoted comma in a name: Shop, Inc. <orders@shop.example>
      addresses.pop()
      addresses.push({ ...address, name: [last.name, address.name].filter(Boolean).join(', ') })
      continue
    }
    if (addresses.length >= ADDRESSES_MAX) {
      defects.note('tooManyAddresses')
      break
    }
    addresses.push(address)
  }
  return addresses
}

/** One mailbox as written. */
interface Mailbox {
  /** The text outside brackets and comments, without quotes. */
  readonly text: string
  /** The same text with its quotes. */
  readonly quoted: string
  /** The text in angle brackets. */
  readonly angle: string | null
  readonly comment: string
  readonly isAfterSemicolon: boolean
}

function finish(mailbox: Mailbox, defects: DefectList): MailAddress | null {
  const { text, quoted, angle, comment } = mailbox
  if (angle !== null) {
    const name = cleanName(text, defects) ?? cleanName(comment, defects)
    return { name, address: cleanAddress(angle, defects) }
  }
  const at = quoted.lastIndexOf('@')
  if (at < 0) {
    const name = cleanName(text, defects)
    return name === null ? null : { name, address: null }
  }
  const before = quoted.slice(0, at).trimEnd()
  const start = localPartStart(before)
  const bare = `${before.slice(start)}@${quoted.slice(at + 1).trim()}`
  const name = cleanName(before.slice(0, start).replaceAll('"', ''), defects)
  return { name: name ?? cleanName(comment, defects), address: cleanAddress(bare, defects) }
}

/** Where the local part at the end of the text begins: a quoted string or a word. */
function localPartStart(text: string): number {
  if (text.endsWith('"')) return Math.max(text.lastIndexOf('"', text.length - 2), 0)
  let start = text.length
  while (start > 0 && text.charCodeAt(start - 1) > 32) start -= 1
  return start
}

function cleanName(text: string, defects: DefectList): string | null {
  const name = decodeEncodedWords(text, defects).replace(/\s+/g, ' ').trim()
  return name === '' ? null : name
}

function cleanAddress(text: string, defects: DefectList): string | null {
  const decoded = text.includes('=?') ? decodeEncodedWords(text, defects) : text
  const route = decoded.startsWith('@') ? decoded.indexOf(':') : -1
  const address = decoded.slice(route + 1)
  const bare = address.includes('"') ? address.trim() : address.replace(/\s+/g, '')
  return bare === '' ? null : bare
}

/** Reads the mailboxes of an address list one by one, each character once. */
class MailboxScanner {
  readonly #value: string
  #at = 0
  #hasOpenQuote = false

  constructor(value: string) {
    this.#value = value
  }

  next(): Mailbox | null {
    if (this.#at >= this.#value.length) return null
    let text = ''
    let quoted = ''
    let comment = ''
    let angle: string | null = null
    let hasAt = false
    const isAfterSemicolon = this.#value.charAt(this.#at - 1) === ';'
    while (this.#at < this.#value.length) {
      const start = this.#at
      const character = this.#value.charAt(start)
      if (character === ',' || character === ';') {
        this.#at += 1
        break
      }
      if (character === '"') {
        const inside = this.#quoted()
        text += inside.replace(/\\(.)/g, '$1')
        quoted += this.#value.slice(start, this.#at)
      } else if (character === '(') comment += ` ${this.#comment()}`
      else if (character === '<') angle = this.#angle()
      else if (character === '>') this.#at += 1
      else if (character === '[') {
        const literal = this.#until(']')
        text += literal
        quoted += literal
      } else if (character === ':' && angle === null && !hasAt) {
        // The text before the colon is the name of a group; its mailboxes follow.
        text = quoted = comment = ''
        this.#at += 1
      } else {
        const plain = this.#plain()
        hasAt ||= plain.includes('@')
        text += plain
        quoted += plain
      }
    }
    return { text, quoted, angle, comment: comment.trim(), isAfterSemicolon }
  }

  /** Text up to the next special character. */
  #plain(): string {
    const start = this.#at
    this.#at += 1
    while (this.#at < this.#value.length && !isSpecial(this.#value.charCodeAt(this.#at))) {
      this.#at += 1
    }
    return this.#value.slice(start, this.#at)
  }

  /** The content of a quoted string; an unclosed quote is an ordinary character. */
  #quoted(): string {
    const start = this.#at + 1
    if (!this.#hasOpenQuote) {
      for (let at = start; at < this.#value.length; at += 1) {
        const code = this.#value.charCodeAt(at)
        if (code === 92) at += 1
        else if (code === 34) {
          this.#at = at + 1
          return this.#value.slice(start, at)
        }
      }
      this.#hasOpenQuote = true
    }
    this.#at = start
    return ''
  }

  #comment(): string {
    const start = this.#at + 1
    let depth = 1
    let at = start
    for (; at < this.#value.length && depth > 0; at += 1) {
      const code = this.#value.charCodeAt(at)
      if (code === 92) at += 1
      else if (code === 40) depth += 1
      else if (code === 41) depth -= 1
    }
    this.#at = at
    return this.#value.slice(start, depth > 0 ? at : at - 1).replace(/\\(.)/g, '$1')
  }

  #angle(): string {
    this.#at += 1
    const start = this.#at
    let close = this.#value.indexOf('>', start)
    if (close < 0) close = this.#value.length
    // A quoted local part may contain a bracket: <"a>b"@example.com>.
    const quote = this.#value.slice(start, close).indexOf('"')
    if (quote >= 0) {
      this.#at = start + quote
      this.#quoted()
      close = this.#value.indexOf('>', this.#at)
      if (close < 0) close = this.#value.length
    }
    this.#at = close + 1
    return this.#value.slice(start, close).replaceAll('<', '')
  }

  #until(end: string): string {
    const start = this.#at
    const found = this.#value.indexOf(end, start)
    this.#at = found < 0 ? this.#value.length : found + 1
    return this.#value.slice(start, this.#at)
  }
}

function isSpecial(code: number): boolean {
  switch (code) {
    case 34: // "
    case 40: // (
    case 44: // ,
    case 58: // :
    case 59: // ;
    case 60: // <
    case 62: // >
    case 91: // [
      return true
    default:
      return false
  }
}
