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
import { workedMs } from '../../test/testing-worked-ms.ts'
import { readArchive } from './archive.ts'
import { ArchiveBudget } from './archive-budget.ts'
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

/** The work of reading an archive. */
function workOf(bytes: Buffer): number {
  const budget = new CountedBudget()
  for (const _ of readArchive(bytes, budget));
  return budget.work
}

/** A budget without end. */
class CountedBudget extends ArchiveBudget {
  work = 0

  constructor() {
    super(1e12)
  }

  override spend(work: number): boolean {
    this.work += work
    return super.spend(work)
  }
}

const verdictsOf = (archives: readonly Buffer[]) =>
  judgeAttachments(
    archives.map((bytes) => ({ filename: 'a.zip', contentType: 'application/zip', bytes })),
  )
const statusesOf = (archives: readonly Buffer[]) => verdictsOf(archives).map(({ status }) => status)

const hostile: readonly Buffer[] = [
  zipSharing(lateBomb(), 200),
  zipSharing(emptyBlocks(16_384), 200),
  zipSharing(deflateRawSync(text(1)), 2_000),
  gzipSync(Buffer.concat([tarOf([{ name: 'a', bytes: text(1) }]), Buffer.alloc(20_000_000)])),
]

describe('what is inflated of archives', () => {
  it('is read once, however many entries name it', () => {
    for (const data of [lateBomb(), emptyBlocks(10_000), deflateRawSync(text(1))]) {
      const names = 199 * 64
      assert.equal(workOf(zipNaming(data, 200)), workOf(zipNaming(data, 1)) + names)
    }
  })

  it('is read once when a streamed file has another size in its directory', () => {
    const [file] = texts(1)
    assert.ok(file !== undefined)
    assert.equal(workOf(zipOf([{ ...file, isStreamed: true }])), workOf(zipOf([file])))
  })

  it('is bounded, and what is left unread is blocked', () => {
    for (const archive of hostile) {
      const elapsedMs = workedMs(() => {
        const verdicts = verdictsOf(Array.from({ length: 100 }, () => archive))
        for (const { reason } of verdicts) {
          assert.equal(reason, 'It is an archive that is too large to be checked.')
        }
      })
      assert.ok(elapsedMs < 5_000)
    }
  })

  it('suffices for ordinary archives', () => {
    const many = zipOf(texts(2_000))
    assert.deepEqual(statusesOf([many, zipOf([...texts(2_000), program]), many]), [
      ...['available', 'blocked', 'available'],
    ])
    const documents = Array.from({ length: 99 }, () => zipOf(texts(5)))
    assert.deepEqual(new Set(statusesOf(documents)), new Set(['available']))
  })

  it('does not depend on what the other archives of a mail contain', () => {
    const decoys = Array.from(
      { length: 80 },
      (_, i) => hostile[i % hostile.length] ?? program.bytes,
    )
    const behind = [zipOf([program]), zipOf(texts(5)), gzipSync('MZ\0\0'), gzipSync('text')]
    assert.deepEqual(
      verdictsOf([...decoys, ...behind])
        .slice(-4)
        .map(({ reason }) => reason),
      [
        'It is an archive that contains a Windows program.',
        null,
        'It is an archive that contains a Windows program.',
        null,
      ],
    )
  })
})
