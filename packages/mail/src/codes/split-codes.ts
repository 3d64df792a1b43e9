import { KIND, KINDS } from './fold.ts'
import type { Line } from './line.ts'

/** Characters of a code that has a cell, a span or a line for each of them. */
const PIECES_MIN = 4
const PIECES_MAX = 12

const HALVES_MAX = 3
const HALF = /^\s*(?:\d{2,4})\s*$/

/** Joins what boxes for single digits, or for halves of a code, have parted, to one line. */
export function joinSplitCodes(lines: readonly Line[]): readonly Line[] {
  const whole = lines.some(isHalf) ? joinHalves(lines) : lines
  return whole.some(isPiece) ? joinPieces(whole) : whole
}

/** Two or three cells side by side with as many digits each: `123` and `456`. */
function joinHalves(lines: readonly Line[]): readonly Line[] {
  const joined: Line[] = []
  for (let at = 0; at < lines.length; ) {
    const first = lines[at]
    if (first === undefined) break
    let end = at + 1
    while (isHalf(first) && isBeside(first, lines[end])) end += 1
    const halves = lines.slice(at, end)
    const isCode = halves.length > 1 && halves.length <= HALVES_MAX
    if (isCode) {
      const text = halves.map((half) => half.text.trim()).join('')
      joined.push({ ...first, text, isJoined: true })
    } else joined.push(...halves)
    at = end
  }
  return joined
}

function isHalf({ text, cell }: Line): boolean {
  return cell !== null && text.length <= 12 && HALF.test(text)
}

function isBeside(one: Line, other: Line | undefined): boolean {
  if (other === undefined || !isHalf(other)) return false
  return one.cell?.row === other.cell?.row && one.text.trim().length === other.text.trim().length
}

function joinPieces(lines: readonly Line[]): readonly Line[] {
  const joined: Line[] = []
  for (let at = 0; at < lines.length; ) {
    const end = piecesEnd(lines, at)
    const pieces = lines.slice(at, end)
    const first = pieces[0]
    const code = pieces.filter(isPiece)
    if (first !== undefined && code.length >= PIECES_MIN && code.length <= PIECES_MAX) {
      joined.push({ ...first, text: code.map(pieceOf).join(''), isJoined: true })
    } else {
      joined.push(...lines.slice(at, Math.max(end, at + 1)))
    }
    at = Math.max(end, at + 1)
  }
  return joined
}

function piecesEnd(lines: readonly Line[], start: number): number {
  let end = start
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at]
    if (line === undefined || line.source !== lines[start]?.source) break
    if (isPiece(line)) end = at + 1
    else if (!isDivider(line) || at === start) break
  }
  return end
}

/** One letter or digit, and nothing else that shows. */
function isPiece(line: Line): boolean {
  return line.text.length <= 8 && pieceOf(line) !== ''
}

function pieceOf({ text }: Line): string {
  let piece = ''
  for (let at = 0; at < text.length; at += 1) {
    const kind = KINDS[text.charCodeAt(at)]
    if (kind === KIND.nothing || kind === KIND.space) continue
    const isSign = kind === KIND.digit || /[A-Za-z]/.test(text.charAt(at))
    if (!isSign || piece !== '') return ''
    piece = text.charAt(at)
  }
  return piece
}

function isDivider({ text }: Line): boolean {
  return /^\s*[-–—·•.]\s*$/.test(text)
}
