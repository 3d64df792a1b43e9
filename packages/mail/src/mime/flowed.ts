import { FLOWED_CHARS_MAX } from '../limits.ts'

/**
 * Joins the lines that were wrapped by `format=flowed` (RFC 3676).
 *
 * A line that ends with a space continues in the next one of the same quote depth, except the
 * signature separator `-- `. With `delSp` that space is removed.
 */
export function unwrapFlowed(text: string, delSp: boolean): string {
  if (text.length <= FLOWED_CHARS_MAX) return unwrap(text, delSp)
  const end = text.lastIndexOf('\n', FLOWED_CHARS_MAX)
  return end < 0 ? text : unwrap(text.slice(0, end), delSp) + text.slice(end)
}

function unwrap(text: string, delSp: boolean): string {
  const lines: string[] = []
  let paragraph = ''
  let depth = -1
  let isOpen = false
  for (const line of text.split('\n')) {
    const quotes = quoteDepth(line)
    const content = unstuff(quotes === 0 ? line : line.slice(quotes))
    const isSignature = content === '-- '
    const flows = content.endsWith(' ') && !isSignature
    const piece = flows && delSp ? content.slice(0, -1) : content
    if (isOpen && quotes === depth && !isSignature) paragraph += piece
    else {
      if (depth >= 0) lines.push(quoted(paragraph, depth))
      paragraph = piece
      depth = quotes
    }
    isOpen = flows
  }
  if (depth >= 0) lines.push(quoted(paragraph, depth))
  return lines.join('\n')
}

function quoteDepth(line: string): number {
  let depth = 0
  while (line.charCodeAt(depth) === 62) depth += 1
  return depth
}

/** Removes the space that was added before `>`, `From ` or a space (RFC 3676, 4.4). */
function unstuff(line: string): string {
  return line.startsWith(' ') ? line.slice(1) : line
}

function quoted(text: string, depth: number): string {
  return depth === 0 ? text : `${'>'.repeat(depth)} ${text}`
}
