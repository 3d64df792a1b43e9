// Where the log of the process is written. Nothing waits for it.
//
// A line that cannot be written, because the disk is full or the reader is slow or gone, is counted
// and dropped. When a line is written again, `onRecovered` is called with the number of lost lines.

import { writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** Calls `done` when a line was written, or with the reason why not. */
type WriteLine = (line: string, done: (error?: Error | null) => void) => void

/** The destination of lines. */
export type LogSink = {
  readonly writeLine: WriteLine
  /** Bytes that wait for a reader. */
  readonly waitingBytes: () => number
}

/** Lines that wait for a reader: some thousand. */
const WAITING_BYTES_MAX = 1024 * 1024

/** Writes lines to a sink. */
export class LogOutput {
  readonly #sink: () => LogSink
  #lost = 0
  #unreported = 0
  /** Changes a line before it is written. */
  format: (line: string) => string = (line) => line
  /** Called with the number of lines that were lost since the last call. */
  onRecovered: (lines: number) => void = () => {}

  constructor(sink: () => LogSink) {
    this.#sink = sink
  }

  /** How many lines could not be written. */
  get lost(): number {
    return this.#lost
  }

  write(line: string): void {
    const { writeLine, waitingBytes } = this.#sink()
    if (waitingBytes() > WAITING_BYTES_MAX) {
      this.#lose()
      return
    }
    writeLine(this.format(line), (error) => {
      if (error !== null && error !== undefined) this.#lose()
      // While lines wait, the line that reports the loss could be lost as well.
      else if (this.#unreported > 0 && waitingBytes() === 0) this.#reportLost()
    })
  }

  /** Resolves when everything is written, cannot be written, or after this time. */
  async flush(msMax: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, msMax)
    this.#sink().writeLine('', () => resolve())
    await promise
    clearTimeout(timer)
  }

  #reportLost(): void {
    const lines = this.#unreported
    this.#unreported = 0
    this.onRecovered(lines)
  }

  #lose(): void {
    this.#lost += 1
    this.#unreported += 1
  }
}

/** Standard output of the process; only its main thread writes to it. */
export const standardOutput = new LogOutput(() => {
  sinkOfProcess ??= process.stdout instanceof Socket ? streamSink(process.stdout) : fileSink()
  return sinkOfProcess
})

let sinkOfProcess: LogSink | null = null

/** A pipe, a terminal or a socket. */
function streamSink(stream: Socket): LogSink {
  // Of Node: a terminal that is stopped would block the process.
  const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } }
  handle?.setBlocking?.(false)
  // Each `done` gets its error.
  stream.on('error', () => {})
  return {
    writeLine: (line, done) => void stream.write(line, done),
    waitingBytes: () => stream.writableLength,
  }
}

/** A file. A line is written when this returns, so that none is lost when the process ends. */
export function fileSink(write = (bytes: Buffer): number => writeSync(1, bytes)): LogSink {
  let isCut = false
  return {
    writeLine: (line, done) => {
      let rest = Buffer.from(isCut ? `\n${line}` : line)
      try {
        // On a full disk, a write may be partial.
        while (rest.length > 0) {
          rest = rest.subarray(write(rest))
          isCut = rest.length > 0
        }
        done()
      } catch (error) {
        done(error as Error) // As of `writeSync`.
      }
    },
    waitingBytes: () => 0,
  }
}
