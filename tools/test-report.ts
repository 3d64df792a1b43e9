// What `npm test` says: how far it is, which files took longest, what failed.

/** What a group of test files sends to tools/test.ts. */
export type GroupMessage =
  | ({ readonly kind: 'suite' } & SuiteResult)
  | { readonly kind: 'failure'; readonly text: string }

/** One suite or test at the top of a file. */
export type SuiteResult = {
  /** From the root of the repository. */
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly wallMs: number
  /** Of the test process and the processes that it started. */
  readonly processorMs: number
}

type Progress = {
  readonly group: string
  readonly passed: number
  readonly failed: number
  /** Null while nothing is known of it. */
  readonly leftMs: number | null
}

const SLOWEST_MAX = 10

/** For a file that no run has measured. */
const WALL_MS_UNKNOWN = 2_000

/** The results of the suites, added up for each file. */
export function byFile(suites: readonly SuiteResult[]): SuiteResult[] {
  const files = Map.groupBy(suites, ({ file }) => file)
  return [...files].map(([file, results]) => ({
    file,
    passed: sumOf(results, 'passed'),
    failed: sumOf(results, 'failed'),
    wallMs: sumOf(results, 'wallMs'),
    processorMs: sumOf(results, 'processorMs'),
  }))
}

/** The files that took most processor time, a line each. */
export function slowestFiles(suites: readonly SuiteResult[]): string {
  const slowest = byFile(suites).sort((a, b) => b.processorMs - a.processorMs)
  const lines = slowest
    .slice(0, SLOWEST_MAX)
    .map(
      ({ file, wallMs, processorMs }) =>
        `${seconds(wallMs).padStart(8)} ${seconds(processorMs).padStart(10)}  ${file}`,
    )
  return ['    time  processor  file', ...lines].join('\n')
}

/** One line of at most `columns`. */
export function progressLine(progress: Progress, columns: number): string {
  const { passed, failed, leftMs, group } = progress
  const left = leftMs === null ? '' : `, about ${seconds(leftMs, 0)} left`
  return `${passed} passed, ${failed} failed${left}: ${group}`.slice(0, columns - 1)
}

/**
 * How long a run takes still, if the files that are left take their part of the time. `wallMs` is
 * how long files took in the run before.
 */
export function timeLeftMs(run: {
  readonly elapsedMs: number
  readonly done: readonly string[]
  readonly files: readonly string[]
  readonly wallMs: ReadonlyMap<string, number>
}): number | null {
  const expectedMs = (files: readonly string[]) =>
    files.reduce((sum, file) => sum + (run.wallMs.get(file) ?? WALL_MS_UNKNOWN), 0)
  const doneMs = expectedMs(run.done)
  return doneMs === 0 ? null : (run.elapsedMs * (expectedMs(run.files) - doneMs)) / doneMs
}

/** `12.3 s`. */
export function seconds(ms: number, digits = 1): string {
  return `${(ms / 1000).toFixed(digits)} s`
}

/** The sum of a number of each result. */
export function sumOf(
  results: readonly SuiteResult[],
  name: 'passed' | 'failed' | 'wallMs' | 'processorMs',
): number {
  return results.reduce((sum, result) => sum + result[name], 0)
}
