import { createLog } from '../src/platform/log.ts'

/** A log, and the message of the error in each of its lines, or that of the line without one. */
export function createTestLog() {
  const messages: string[] = []
  const write = (line: string) => {
    const { err, msg } = JSON.parse(line)
    messages.push(err?.message ?? msg)
  }
  return { messages, log: createLog('info', { write }) }
}
