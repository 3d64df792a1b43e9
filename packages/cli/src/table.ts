import { stripVTControlCharacters } from 'node:util'
import { style, type Terminal } from './terminal.ts'

/** Widest cell: a subject must not push the rest off the screen. */
const CELL_WIDTH_MAX = 50

/** Rows under a header, in columns as wide as they need. */
export function formatTable(
  terminal: Terminal,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  // Nothing stands right of the last column.
  const isLast = (column: number) => column === header.length - 1
  const cells = [header, ...rows].map((row) =>
    row.map((cell, column) => (isLast(column) ? cell : cut(cell))),
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

function cut(cell: string): string {
  // A styled cell is ours and short; cutting it could lose the end of its colour.
  if (widthOf(cell) <= CELL_WIDTH_MAX) return cell
  return `${[...cell].slice(0, CELL_WIDTH_MAX - 1).join('')}…`
}

function widthOf(cell = ''): number {
  return [...stripVTControlCharacters(cell)].length
}
