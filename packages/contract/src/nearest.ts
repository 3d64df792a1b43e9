/** Largest edit distance at which a name is suggested. */
const DISTANCE_MAX = 3

/** Shortest name that counts as the beginning or the end of a known one. */
const PART_LENGTH_MIN = 4

/** The known name that a wrong one probably stands for; null when none is similar. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  return similarName(wrong, known) ?? longerName(wrong, known)
}

/** `subject` for `subjectContains`, `seconds` for `ttlSeconds`. */
function longerName(wrong: string, known: readonly string[]): string | null {
  if (wrong.length < PART_LENGTH_MIN) return null
  const part = wrong.toLowerCase()
  const isLonger = (name: string) => {
    const whole = name.toLowerCase()
    return whole.startsWith(part) || whole.endsWith(part)
  }
  return known.find(isLonger) ?? null
}

function similarName(wrong: string, known: readonly string[]): string | null {
  let best: string | null = null
  let bestDistance = DISTANCE_MAX + 1
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase())
    // A name of which more than half differs is another name, not a typing error.
    if (distance < bestDistance && distance * 2 <= name.length) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** The number of insertions, deletions, substitutions and swaps between two texts. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + cost,
          swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
