// Mail as MailHog reads it: headers as they are written, bodies not decoded.

/** A mail or a part of one. */
export type MailHogContent = {
  readonly Headers: Readonly<Record<string, readonly string[]>>
  readonly Body: string
  readonly Size: number
  readonly MIME: MailHogMime | null
}

/** The parts of a multipart body. */
type MailHogMime = { readonly Parts: readonly MailHogContent[] }

/** How deep parts are read, and how many of one body. */
const DEPTH_MAX = 5
const PARTS_MAX = 200

/** Reads a mail or a part. Of a header that occurs several times, the last is shown. */
export function readContent(text: string, depth = 0): MailHogContent {
  const separator = /\r?\n\r?\n/.exec(text)
  const head = text.slice(0, separator?.index)
  const body = separator === null ? '' : text.slice(separator.index + separator[0].length)
  const headers = readHeaders(head)
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')
  return {
    Headers: headers,
    Body: body,
    Size: text.length,
    MIME: depth < DEPTH_MAX ? readMime(type?.[1][0] ?? '', body, depth) : null,
  }
}

function readHeaders(head: string): Record<string, readonly string[]> {
  const headers = new Map<string, readonly string[]>()
  let name = ''
  for (const line of head.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      headers.set(name, [`${headers.get(name)?.[0] ?? ''}${line}`])
      continue
    }
    const colon = line.indexOf(':')
    if (colon === -1) continue
    name = line.slice(0, colon)
    headers.set(name, [line.slice(colon + 1).trimStart()])
  }
  headers.delete('')
  return Object.fromEntries(headers)
}

function readMime(type: string, body: string, depth: number): MailHogMime | null {
  if (!/^multipart\//i.test(type)) return null
  const [, quoted, plain] = /boundary="([^"]+)"|boundary=([^\s;]+)/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return null
  const parts = body.split(`--${boundary}`, PARTS_MAX).filter((part) => part !== '')
  return { Parts: parts.map((part) => readContent(withoutLineEnds(part), depth + 1)) }
}

/** Without line ends at both ends. By hand: an expression is quadratic in empty lines. */
function withoutLineEnds(text: string): string {
  const isEnd = (at: number) => text[at] === '\r' || text[at] === '\n'
  let start = 0
  let end = text.length
  while (start < end && isEnd(start)) start += 1
  while (end > start && isEnd(end - 1)) end -= 1
  return text.slice(start, end)
}
