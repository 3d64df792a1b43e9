/** A line of plain text this long was broken by a program, not by its writer. */
const WRAPPED_CHARS_MIN = 50

/** Lines that begin so are items or rules of their own and continue nothing. */
const BEGINS_ANEW = /^(?:[-*•>#] |[-=_*#~]{3,}$|\||\d{1,2}[.)] )/

/** The lines of plain text that say something, each with the lines that only continue it. */
export function textLines(text: string, linesMax: number): readonly string[] {
  const lines: string[] = []
  let isOpen = false
  for (let start = 0; start < text.length && lines.length < linesMax; ) {
    const at = text.indexOf('\n', start)
    const end = at < 0 ? text.length : at
    const line = text.slice(start, end).trim()
    start = end + 1
    if (line === '') {
      isOpen = false
      continue
    }
    const last = lines.length - 1
    if (isOpen && !BEGINS_ANEW.test(line)) lines[last] = `${lines[last]} ${line}`
    else lines.push(line)
    isOpen = line.length >= WRAPPED_CHARS_MIN
  }
  return lines
}
