import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileSink, LogOutput } from './log-output.ts'

/** A file on a disk with this much room. */
function createFile() {
  const file = { room: Number.POSITIVE_INFINITY, text: '' }
  const write = (bytes: Buffer) => {
    if (file.room === 0) throw new Error('ENOSPC')
    const written = bytes.subarray(0, file.room)
    file.room -= written.length
    file.text += String(written)
    return written.length
  }
  const sink = fileSink(write)
  const output = new LogOutput(() => sink)
  output.onRecovered = (lines) => output.write(`lost ${lines}\n`)
  return { file, output }
}

describe('the output of the log', () => {
  it('counts lines that a full disk refuses, and tells it once when there is room again', () => {
    const { file, output } = createFile()
    output.write('first\n')
    file.room = 0
    for (const line of ['a\n', 'b\n', 'c\n']) output.write(line)
    assert.equal(output.lost, 3)
    file.room = Number.POSITIVE_INFINITY
    for (const line of ['again\n', 'last\n']) output.write(line)
    assert.equal(file.text, 'first\nagain\nlost 3\nlast\n')
    assert.equal(output.lost, 3)
  })

  it('begins a new line after one that was cut', () => {
    const { file, output } = createFile()
    file.room = 2
    output.write('cut\n')
    file.room = Number.POSITIVE_INFINITY
    output.write('whole\n')
    assert.equal(file.text, 'cu\nwhole\nlost 1\n')
  })

  it('keeps what waits for a reader within a bound', () => {
    const waiting: { line: string; done: () => void }[] = []
    const sink = {
      writeLine: (line: string, done: () => void) => void waiting.push({ line, done }),
      waitingBytes: () => waiting.reduce((bytes, { line }) => bytes + line.length, 0),
    }
    const told: number[] = []
    const output = new LogOutput(() => sink)
    output.onRecovered = (lines) => told.push(lines)
    const line = 'x'.repeat(1024 * 1024)
    for (let written = 0; written < 5; written++) output.write(line)
    assert.deepEqual([waiting.length, output.lost], [2, 3])
    for (let read = waiting.shift(); read !== undefined; read = waiting.shift()) read.done()
    assert.deepEqual(told, [3])
  })
})
