import assert from 'node:assert/strict'
import { it } from 'node:test'
import { byFile, progressLine, slowestFiles, timeLeftMs } from './test-report.ts'

const suite = (file: string, processorMs: number) => ({
  file,
  passed: 1,
  failed: 0,
  wallMs: 2 * processorMs,
  processorMs,
})

it('adds up the suites of a file', () => {
  assert.deepEqual(byFile([suite('a', 100), suite('b', 50), suite('a', 30)]), [
    { file: 'a', passed: 2, failed: 0, wallMs: 260, processorMs: 130 },
    suite('b', 50),
  ])
})

it('lists the ten files with most processor time, the slowest first', () => {
  const suites = Array.from({ length: 12 }, (_, index) => suite(`file${index}`, 1_000 * index))
  const lines = slowestFiles(suites).split('\n')
  assert.equal(lines.length, 11)
  assert.equal(lines[1], '  22.0 s     11.0 s  file11')
  assert.equal(lines[10], '   4.0 s      2.0 s  file2')
})

it('shows the progress in one line, which the terminal does not break', () => {
  const progress = { group: 'tools/a.test.ts', passed: 12, failed: 1, leftMs: 83_400 }
  assert.equal(progressLine(progress, 80), '12 passed, 1 failed, about 83 s left: tools/a.test.ts')
  assert.equal(progressLine(progress, 20), '12 passed, 1 failed')
  const unknown = progressLine({ ...progress, leftMs: null }, 80)
  assert.equal(unknown, '12 passed, 1 failed: tools/a.test.ts')
})

it('expects the files that are left to take their part of the time', () => {
  const wallMs = new Map([
    ['a', 1_000],
    ['b', 3_000],
  ])
  const files = ['a', 'b', 'unknown']
  assert.equal(timeLeftMs({ elapsedMs: 500, done: ['a'], files, wallMs }), 2_500)
  assert.equal(timeLeftMs({ elapsedMs: 500, done: [], files, wallMs }), null)
  assert.equal(timeLeftMs({ elapsedMs: 500, done: files, files, wallMs }), 0)
})
