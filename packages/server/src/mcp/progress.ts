import type { ReportProgress } from './tool.ts'

/** Clients time out after a minute; many restart that minute at each report. */
const REPORT_MS = 5_000

/** The content of a report. */
export type ProgressOptions = {
  readonly report: ReportProgress | null
  readonly elapsedMs: () => number
  /** How long the work may take; null when unknown. */
  readonly totalSeconds: number | null
  readonly message: string
}

/** Does the work, and reports progress at once and every few seconds. */
export async function withProgress<Result>(
  options: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const { report, elapsedMs, totalSeconds, message } = options
  if (report === null) return work()
  const startedAt = elapsedMs()
  const send = () => {
    const progress = Math.round((elapsedMs() - startedAt) / 1000)
    const params = { progress, message, ...(totalSeconds === null ? {} : { total: totalSeconds }) }
    // Fails only when the client disconnected, which the work learns by its signal.
    report(params).catch(() => {})
  }
  send()
  const timer = setInterval(send, REPORT_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
