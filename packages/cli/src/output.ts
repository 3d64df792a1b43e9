import { inspect, stripVTControlCharacters } from 'node:util'
import type { Terminal } from './terminal.ts'

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

/** Control characters, which move the cursor, and marks that reorder or hide text. */
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Widest cell of a table: a long subject must not push the other columns off the screen. */
const CELL_WIDTH_MAX = 50

const SPINNER_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const SPINNER_FRAME_MS = 100

/** The text in a colour where the output supports colours. */
export function style(terminal: Terminal, name: Style, text: string): string {
  // Not `styleText`: the first versions of Node 20 do not have it.
  const [on, off] = inspect.colors[name] ?? []
  return terminal.hasColour ? `\x1b[${on}m${text}\x1b[${off}m` : text
}

/** One line of output. */
export function print(terminal: Terminal, line: string): void {
  terminal.out(`${line}\n`)
}

/** A secret alone on standard output, for `$(…)`; its description on standard error. */
export function printSecret(terminal: Terminal, what: string, secret: string): void {
  terminal.err(`${what} (shown only once):\n`)
  print(terminal, style(terminal, 'bold', secret))
}

/** JSON for a program, indented for people. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`)
}

/** Text of a mail without characters that control a terminal; line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(UNSAFE, '')
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}

/** A date-time of the API as people read it. */
export function utcTime(dateTime: string): string {
  return `${dateTime.slice(0, 19).replace('T', ' ')} UTC`
}

/** Rows under a header, in columns as wide as they need. */
export function formatTable(
  terminal: Terminal,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  // The last column has nothing to its right.
  const isLast = (column: number) => column === header.length - 1
  const cells = [header, ...rows].map((row) =>
    row.map((cell, column) => (isLast(column) ? cell : shortened(cell))),
  )
  const widths = header.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column]))))
  return cells
    .map((row, index) => {
      const line = row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd()
      return index === 0 ? style(terminal, 'bold', line) : line
    })
    .join('\n')
}

/** Shows a spinner and the time left while `work` runs, when a person watches. */
export async function whileWaiting<Result>(
  terminal: Terminal,
  { what, timeoutSeconds }: { readonly what: string; readonly timeoutSeconds: number },
  work: Promise<Result>,
): Promise<Result> {
  if (!terminal.isInteractive) return work
  const deadline = performance.now() + timeoutSeconds * 1000
  let frame = 0
  const draw = () => {
    const leftSeconds = Math.max(0, Math.ceil((deadline - performance.now()) / 1000))
    const symbol = SPINNER_FRAMES[frame % SPINNER_FRAMES.length]
    terminal.err(`\r\x1b[K${symbol} ${what}, ${leftSeconds} s left`)
    frame += 1
  }
  draw()
  const timer = setInterval(draw, SPINNER_FRAME_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
    terminal.err('\r\x1b[K')
  }
}

function shortened(cell: string): string {
  // Styled cells are ours and short, so no escape sequence is cut off.
  if (widthOf(cell) <= CELL_WIDTH_MAX) return cell
  return `${[...cell].slice(0, CELL_WIDTH_MAX - 1).join('')}…`
}

function widthOf(cell = ''): number {
  return [...stripVTControlCharacters(cell)].length
}
