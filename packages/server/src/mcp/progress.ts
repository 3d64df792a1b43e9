import type { ReportProgress } from './tool.ts'

/** Clients give up after a minute of silence; many let a report begin that minute anew. */
const REPORT_MS = 5_000

/** How a wait is told. */
export type ProgressOptions = {
  readonly report: ReportProgress | null
  readonly elapsedMs: () => number
  /** How long the work may take; null when only the work knows. */
  readonly totalSeconds: number | null
  readonly message: string
}

/** Does the work, and tells the client at once and every few seconds that it goes on. */
export async function withProgress<Result>(
  options: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const { report, elapsedMs, totalSeconds, message } = options
  if (report === null) return work()
  const startedAt = elapsedMs()
  const tell = () => {
    const progress = Math.round((elapsedMs() - startedAt) / 1000)
    const told = { progress, message, ...(totalSeconds === null ? {} : { total: totalSeconds }) }
    // Who is gone need not be told; the work hears of that by its signal.
    report(told).catch(() => {})
  }
  tell()
  const timer = setInterval(tell, REPORT_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
