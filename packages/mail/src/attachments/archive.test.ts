import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import {
  emptyBlocks,
  lateBomb,
  tarOf,
  zipNaming,
  zipOf,
  zipSharing,
} from '../../test/testing-archives.ts'
import { INFLATE_WORK_MAX } from '../limits.ts'
import { archiveBudget, readArchive } from './archive.ts'
import { judgeAttachments } from './verdict.ts'

/** A text that compresses to a half. */
const text = (seed: number) =>
  Buffer.from(
    Array.from({ length: 200 }, (_, line) =>
      createHash('sha1').update(`${seed} ${line}`).digest('hex'),
    ).join('\n'),
  )
const texts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `${i}.txt`, bytes: text(i), isDeflated: true }))
const program = {
  name: 'notes.txt',
  bytes: Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)]),
  isDeflated: true,
}

/** The work of reading these archives of one mail. */
function workOf(archives: readonly Buffer[]): number {
  const budget = archiveBudget()
  for (const bytes of archives) readArchive(bytes, budget)
  return INFLATE_WORK_MAX - budget.workLeft
}

const statusesOf = (archives: readonly Buffer[]) =>
  judgeAttachments(
    archives.map((bytes) => ({ filename: 'a.zip', contentType: 'application/zip', bytes })),
  ).map(({ status }) => status)

describe('what is inflated of archives', () => {
  it('is read once, however many entries name it', () => {
    for (const data of [lateBomb(), emptyBlocks(10_000), deflateRawSync(text(1))]) {
      assert.equal(workOf([zipNaming(data, 200)]), workOf([zipNaming(data, 1)]))
    }
  })

  it('is read once when a streamed file has another size in its directory', () => {
    const [file] = texts(1)
    assert.ok(file !== undefined)
    assert.equal(workOf([zipOf([{ ...file, isStreamed: true }])]), workOf([zipOf([file])]))
  })

  it('has one bound for all archives of a mail', () => {
    const tar = gzipSync(
      Buffer.concat([tarOf([{ name: 'a', bytes: text(1) }]), Buffer.alloc(2_000_000)]),
    )
    const hostile: readonly Buffer[] = [
      zipSharing(lateBomb(), 200),
      zipSharing(emptyBlocks(16_384), 200),
      zipSharing(deflateRawSync(text(1)), 200),
      tar,
    ]
    for (const archive of hostile) {
      const work = workOf(Array.from({ length: 100 }, () => archive))
      // The last file may take more than was left.
      assert.ok(work > INFLATE_WORK_MAX && work < INFLATE_WORK_MAX + 100_000, `${work}`)
    }
  })

  it('suffices for ordinary archives', () => {
    const largest = zipOf([...texts(199), program])
    const documents = Array.from({ length: 3 }, () => zipOf(texts(50)))
    assert.deepEqual(statusesOf([largest]), ['blocked'])
    assert.deepEqual(statusesOf([...documents, zipOf([program])]).at(-1), 'blocked')
    const small = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ name: `${i}.txt`, bytes: Buffer.from(`file ${i}`), isDeflated: true },
    }))
    assert.deepEqual(statusesOf([zipOf([...small, program])]), ['blocked'])
  })

  it('is judged by its name alone when the bound is reached', () => {
    const before = Array.from({ length: 20 }, () => zipSharing(lateBomb(), 200))
    const behind = [
      zipOf([program]),
      zipOf([{ ...program, name: 'setup.exe' }]),
      gzipSync('MZ\0\0'),
    ]
    assert.deepEqual(statusesOf([...before, ...behind]).slice(-3), [
      ...['available', 'blocked', 'available'],
    ])
  })
})
