import { type Logger, pino } from 'pino'
import { standardOutput } from './log-output.ts'

/** A logger that writes one JSON object a line. */
export type Log = Logger

/** A logger to standard output, or to the given stream. */
export function createLog(level: string, stream?: { write(line: string): void }): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: ['req.headers.authorization', 'headers.authorization'],
  }
  if (stream !== undefined) return pino(options, stream)
  const log = pino(options, standardOutput)
  standardOutput.onRecovered = (lines) =>
    log.warn({ lines }, 'lines of the log could not be written')
  return log
}
