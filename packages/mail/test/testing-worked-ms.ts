/**
 * Milliseconds of processor time of `run`.
 *
 * Not wall-clock time: other programs on the machine must not make a test fail.
 */
export function workedMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
