import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import type { Finding } from './finding.ts'
import type { Line, StyledStretch } from './line.ts'

const LARGE_PX = 20
const SPACED_PX = 1.5

/** The style at a place of a line; null where nothing is known. */
export function styleAt({ stretches }: Line, at: number): StyledStretch | null {
  return stretches[firstAfter(stretches, at + 1) - 1] ?? null
}

/** What the look of a candidate says for it. */
export function lookOf(candidate: Candidate, line: Line): readonly Finding[] {
  const found: Finding[] = []
  const add = (reason: string, points: number): void => {
    found.push({ reason, points })
  }
  if (line.isJoined) add('one cell or line for each character', 1.2)
  if (candidate.standsAlone) add('stands alone', 1.2)
  const style = styleAt(line, candidate.start)?.style
  if (style === undefined) return found
  if (style.fontSizePx >= LARGE_PX) add('large', 0.7)
  if (style.letterSpacingPx >= SPACED_PX) add('letters spaced', 0.5)
  if (style.isBold) add('bold', 0.3)
  if (style.isMonospace) add('monospaced', 0.4)
  if (candidate.standsAlone && (style.isCentred || line.isCentred)) add('centred', 0.3)
  return found
}
