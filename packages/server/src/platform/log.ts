import { type Logger, pino } from 'pino'

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
  return stream === undefined ? pino(options) : pino(options, stream)
}
