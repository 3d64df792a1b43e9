/**
 * Joins the lines that a `format=flowed` sender wrapped (RFC 3676).
 *
 * A line that ends in a space goes on in the next one of the same quote depth; the signature
 * separator `-- ` does not. With `delSp` the space itself was added by the sender.
 */
export function unwrapFlowed(text: string, delSp: boolean): string {
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

/** A space at the start was put there so that the line is not mistaken for something else. */
function unstuff(line: string): string {
  return line.startsWith(' ') ? line.slice(1) : line
}

function quoted(text: string, depth: number): string {
  return depth === 0 ? text : `${'>'.repeat(depth)} ${text}`
}
