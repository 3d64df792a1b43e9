import { decodeCharset } from './charset.ts'
import type { DefectList } from './defects.ts'
import { decodeEncodedWords } from './encoded-words.ts'

/** A value such as `text/plain; charset=utf-8`: value and parameter names in lower case. */
export interface Parameterised {
  readonly value: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Parameters of one field that are read, pieces by RFC 2231 included; real mail has a few. */
const PARAMETERS_MAX = 100

/** Characters of a field that are read: some are searched more than once. */
const FIELD_CHARS_MAX = 16 * 1024

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

/** Parses a Content-Type or Content-Disposition value as far as possible. */
export function parseParameterised(field: string, defects: DefectList): Parameterised {
  const text = field.length > FIELD_CHARS_MAX ? field.slice(0, FIELD_CHARS_MAX) : field
  const semicolon = text.indexOf(';')
  if (semicolon < 0) return { value: cleanValue(text), parameters: NO_PARAMETERS }
  const value = cleanValue(text.slice(0, semicolon))
  const found = readParameters(text, semicolon + 1)
  const parameters = new Map<string, string>()
  let isExtended = false
  for (const [name, written] of found) {
    if (name.includes('*')) isExtended = true
    else parameters.set(name, decodeEncodedWords(written, defects))
  }
  if (isExtended) {
    for (const [name, decoded] of joinExtended(found, defects)) parameters.set(name, decoded)
  }
  return { value, parameters }
}

/** Removes a comment, quotes and white space. */
function cleanValue(text: string): string {
  const comment = text.indexOf('(')
  return (comment < 0 ? text : text.slice(0, comment)).replaceAll('"', '').trim().toLowerCase()
}

/** Of two parameters with the same name the first counts. */
function readParameters(text: string, from: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let at = from
  while (at < text.length && found.size < PARAMETERS_MAX) {
    const equals = text.indexOf('=', at)
    if (equals < 0) break
    const semicolon = text.indexOf(';', at)
    if (semicolon >= 0 && semicolon < equals) {
      at = semicolon + 1
      continue
    }
    const name = text.slice(at, equals).trim().toLowerCase()
    const { value, end } = readValue(text, equals + 1)
    if (name !== '' && !found.has(name)) found.set(name, value)
    at = end
  }
  return found
}

interface ParameterValue {
  readonly value: string
  /** The position after the semicolon that ends the parameter. */
  readonly end: number
}

function readValue(text: string, from: number): ParameterValue {
  let start = from
  while (text.charCodeAt(start) === 32 || text.charCodeAt(start) === 9) start += 1
  if (text.charCodeAt(start) !== 34) {
    const semicolon = text.indexOf(';', start)
    const end = semicolon < 0 ? text.length : semicolon
    return { value: text.slice(start, end).trim(), end: end + 1 }
  }
  const close = quoteEnd(text, start + 1)
  const inside = text.slice(start + 1, close)
  const semicolon = text.indexOf(';', close)
  return {
    value: inside.includes('\\') ? inside.replace(/\\(["\\])/g, '$1') : inside,
    end: semicolon < 0 ? text.length : semicolon + 1,
  }
}

function quoteEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 92) at += 1
    else if (code === 34) return at
  }
  return text.length
}

interface ValuePiece {
  readonly text: string
  readonly isEncoded: boolean
}

/** Joins `name*0*=utf-8''a%20`, `name*1=b` and decodes `name*=utf-8''a%20b` (RFC 2231). */
function joinExtended(
  found: ReadonlyMap<string, string>,
  defects: DefectList,
): ReadonlyMap<string, string> {
  const pieces = new Map<string, ValuePiece[]>()
  for (const [key, text] of found) {
    const match = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/.exec(key)
    if (match === null) continue
    const [, name = '', index, star] = match
    const list = pieces.get(name) ?? []
    list[Number(index ?? 0)] = { text, isEncoded: index === undefined || star !== undefined }
    pieces.set(name, list)
  }
  const joined = new Map<string, string>()
  for (const [name, list] of pieces) joined.set(name, decodePieces(list, defects))
  return joined
}

function decodePieces(pieces: readonly (ValuePiece | undefined)[], defects: DefectList): string {
  const [first] = pieces
  const charset = first?.isEncoded ? /^([^']*)'[^']*'/.exec(first.text) : null
  let bytes = ''
  // A missing piece ends the value: the rest would be in the wrong place.
  for (const piece of pieces) {
    if (piece === undefined) break
    const text =
      piece === first && charset !== null ? piece.text.slice(charset[0].length) : piece.text
    bytes += piece.isEncoded ? percentDecode(text) : text
  }
  if (charset === null && /[^\0-\xff]/.test(bytes)) return bytes
  const isText = charset === null && !pieces.some((piece) => piece?.isEncoded)
  if (isText) return decodeEncodedWords(bytes, defects)
  return decodeCharset(Buffer.from(bytes, 'latin1'), charset?.[1] ?? '', defects)
}

/** One character of the result per byte. */
function percentDecode(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
