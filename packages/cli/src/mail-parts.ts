import { randomBytes } from 'node:crypto'

/** A file to be attached. */
export type AttachedFile = {
  readonly filename: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** One part of a mail: its own headers and its body, lines ended by CRLF. */
export type Part = { readonly headers: readonly string[]; readonly body: string }

/** Longest line of base64 by RFC 2045. */
const BASE64_LINE = /.{1,76}/g

/** Bytes of UTF-8 in one encoded word: in base64 it then stays below 75 characters. */
const WORD_BYTES_MAX = 42

/** A part of text. */
export function textPart(subtype: 'plain' | 'html', text: string): Part {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const type = `Content-Type: text/${subtype}; charset=utf-8`
  if (lines.every((line) => /^[\x20-\x7e\t]{0,990}$/.test(line))) {
    const headers = [type, 'Content-Transfer-Encoding: 7bit']
    return { headers, body: lines.join('\r\n') }
  }
  const headers = [type, 'Content-Transfer-Encoding: base64']
  return { headers, body: base64Lines(Buffer.from(lines.join('\r\n'), 'utf8')) }
}

/** A part that is a file. */
export function filePart({ filename, contentType, bytes }: AttachedFile): Part {
  // RFC 2231 for every name: it needs no case apart for names that are not plain.
  const name = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return {
    headers: [
      `Content-Type: ${contentType}`,
      `Content-Disposition: attachment; filename*=utf-8''${name}`,
      'Content-Transfer-Encoding: base64',
    ],
    body: base64Lines(bytes),
  }
}

/** Several parts as one. */
export function multipart(subtype: 'alternative' | 'mixed', parts: readonly Part[]): Part {
  const boundary = `=_${randomBytes(12).toString('hex')}`
  const body = parts
    .map(({ headers, body }) => `--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n${body}\r\n`)
    .join('')
  return {
    headers: [`Content-Type: multipart/${subtype}; boundary="${boundary}"`],
    body: `${body}--${boundary}--`,
  }
}

/** A text in a header: as it is when plain, else in encoded words of RFC 2047. */
export function headerText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES_MAX) {
      words.push(word)
      word = ''
    }
    word += character
  }
  words.push(word)
  return words.map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ')
}

function base64Lines(bytes: Uint8Array): string {
  return (Buffer.from(bytes).toString('base64').match(BASE64_LINE) ?? []).join('\r\n')
}
