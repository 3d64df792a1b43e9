/** Whether the long form runs; `tools/soak.ts` says so. */
export const IS_SOAK = process.env['SOAK'] !== undefined

/** Shortest time between two lines of progress. */
const INTERVAL_MS = 10_000

/** How often a suite repeats what it tries: `long` in the long form, unless SOAK_COUNT differs. */
export function soakRounds({ short, long }: { short: number; long: number }): number {
  const count = Number(process.env['SOAK_COUNT'] ?? long)
  return IS_SOAK ? count : short
}

/** Writes how far a long run is, and when it will end; nothing in the short form. */
export function soakProgress(name: string, total: number): (done: number) => void {
  const startedAt = performance.now()
  let writtenAt = startedAt
  return (done) => {
    const now = performance.now()
    if (!IS_SOAK || (now - writtenAt < INTERVAL_MS && done < total)) return
    writtenAt = now
    const leftMs = ((now - startedAt) / Math.max(done, 1)) * (total - done)
    const left = `about ${Math.ceil(leftMs / 60_000)} min left`
    const number = (value: number) => value.toLocaleString('en')
    process.stderr.write(`   ${name}: ${number(done)} of ${number(total)}, ${left}\n`)
  }
}
