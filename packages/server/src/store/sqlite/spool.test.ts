import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readRecords, Spool, spoolPath, spoolsOfThread } from './spool.ts'

const MEGABYTE = 1024 * 1024

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-spool-'))
  const database = join(folder, 'mayfly.db')
  return {
    database,
    path: spoolPath(database, '0'),
    files: () => readdirSync(folder).sort(),
    sizes: () => ['a', 'b'].map((file) => statSync(`${spoolPath(database, '0')}-${file}`).size),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

const record = (sequence: number, text = `mail ${sequence}`) => ({
  sequence,
  content: [Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))],
})

const textsOf = ({ left }: Spool) => left.map(({ content }) => content.toString())

describe('a spool', () => {
  it('has after a crash what was written, in order', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    assert.deepEqual(spool.left, [])
    await spool.write([record(1), record(2)])
    await spool.write([record(3)])
    const after = new Spool(folder.path)
    assert.deepEqual(textsOf(after), ['mail 1', 'mail 2', 'mail 3'])
    assert.deepEqual(
      after.left.map(({ sequence }) => sequence),
      [1, 2, 3],
    )
  })

  it('is readable by its owner alone, and deleted when everything is stored', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    await spool.write([record(1)])
    for (const file of ['a', 'b']) {
      assert.equal(statSync(`${folder.path}-${file}`).mode & 0o777, 0o600)
    }
    spool.close(false)
    assert.deepEqual(folder.files(), ['mayfly.db-spool-0-a', 'mayfly.db-spool-0-b'])
    new Spool(folder.path).close(true)
    assert.deepEqual(folder.files(), [])
  })

  it('writes nothing more to a file that could not be written, until it is free', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    await spool.write([record(1)])
    // Not bytes: this write fails.
    const broken = { sequence: 2, content: ['text' as unknown as Uint8Array] }
    await assert.rejects(spool.write([broken]), /storage is unavailable/)
    await spool.write([record(3)])
    await assert.rejects(spool.write([{ ...broken, sequence: 4 }]), /storage is unavailable/)
    assert.equal(spool.isWritable, false)
    assert.deepEqual(textsOf(new Spool(folder.path)), ['mail 1', 'mail 3'])
    spool.release(4)
    await spool.write([record(5)])
    assert.deepEqual(textsOf(new Spool(folder.path)), ['mail 1', 'mail 5'])
  })

  it('does not begin a file again while it is written', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    await spool.write([record(1)])
    const writing = spool.write([record(2)])
    // It is stored before it is in the spool.
    spool.release(2)
    await writing
    assert.deepEqual(textsOf(new Spool(folder.path)), ['mail 1', 'mail 2'])
    await spool.write([record(3)])
    assert.deepEqual(textsOf(new Spool(folder.path)), ['mail 3'])
  })

  it('does not grow while what it has is stored', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    for (let sequence = 1; sequence <= 100; sequence++) {
      await spool.write([record(sequence)])
      spool.release(sequence)
    }
    assert.deepEqual(folder.sizes(), [16 + 'mail 100'.length, 0])
  })

  it('writes two files in turns, and overwrites none before its mails are stored', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    const large = 'x'.repeat(MEGABYTE)
    for (let sequence = 1; sequence <= 12; sequence++) await spool.write([record(sequence, large)])
    // Four into the first; the second goes on, because the first is not free.
    assert.deepEqual(folder.sizes(), [4 * (MEGABYTE + 16), 8 * (MEGABYTE + 16)])
    spool.release(4)
    await spool.write([record(13, 'into the first')])
    const left = new Spool(folder.path).left.map(({ sequence }) => sequence)
    assert.deepEqual(left, [5, 6, 7, 8, 9, 10, 11, 12, 13])
  })

  it('writes no more than 64 MiB to a file', async () => {
    using folder = createFolder()
    const spool = new Spool(folder.path)
    const large = { content: [Buffer.alloc(16 * MEGABYTE)] }
    let sequence = 0
    while (spool.isWritable) await spool.write([{ ...large, sequence: ++sequence }])
    assert.equal(sequence, 1 + 4)
    await assert.rejects(spool.write([record(6)]), /the spool is full/)
    spool.release(5)
    assert.equal(spool.isWritable, true)
  })

  it('does not write to what a crash has left before that is stored', async () => {
    using folder = createFolder()
    const first = new Spool(folder.path)
    await first.write([record(1)])
    const second = new Spool(folder.path)
    await second.write([record(2)])
    assert.deepEqual(textsOf(new Spool(folder.path)), ['mail 1', 'mail 2'])
    const third = new Spool(folder.path)
    assert.equal(third.isWritable, false)
    third.release(1)
    await third.write([record(3)])
    assert.deepEqual(textsOf(new Spool(folder.path)), ['mail 2', 'mail 3'])
  })

  it('has every whole record of a file that was cut off, and nothing else', async () => {
    using folder = createFolder()
    await new Spool(folder.path).write([record(1), record(2), record(3)])
    const whole = readFileSync(`${folder.path}-a`)
    const size = whole.length / 3
    for (let end = 0; end <= whole.length; end++) {
      assert.equal(readRecords(whole.subarray(0, end)).length, Math.floor(end / size))
    }
  })

  it('has nothing from the first record on whose bytes were changed', async () => {
    using folder = createFolder()
    await new Spool(folder.path).write([record(1), record(2), record(3)])
    const whole = readFileSync(`${folder.path}-a`)
    const size = whole.length / 3
    for (let i = 0; i < whole.length; i++) {
      const changed = Buffer.from(whole)
      changed.writeUInt8(whole.readUInt8(i) ^ 1, i)
      assert.equal(readRecords(changed).length, Math.floor(i / size), `byte ${i}`)
    }
  })

  it('loses nothing that is not stored, whatever is written, stored and cut off', async () => {
    const step = fc.oneof(
      fc.record({
        write: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
      }),
      fc.record({ store: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.constant('crash' as const),
    )
    const run = async (
      steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
    ) => {
      using folder = createFolder()
      let spool = new Spool(folder.path)
      let [written, stored] = [0, 0]
      for (const next of steps) {
        if (next === 'crash') {
          // The garbage of a write that was under way.
          for (const file of ['a', 'b']) {
            const path = `${folder.path}-${file}`
            writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('garbage')]))
          }
          spool = new Spool(folder.path)
          const left = spool.left.filter(({ sequence }) => sequence > stored)
          assert.deepEqual(
            left.map(({ sequence }) => sequence),
            Array.from({ length: written - stored }, (_, i) => stored + 1 + i),
          )
        } else if ('store' in next) {
          stored += Math.floor((written - stored) * next.store)
          spool.release(stored)
        } else if (spool.isWritable) {
          const records = next.write.map((megabytes) =>
            record(++written, 'y'.repeat(4 + megabytes * MEGABYTE)),
          )
          await spool.write(records)
        }
      }
      spool.close(false)
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), run), { numRuns: 40 })
  })
})

describe('the spools beside a database', () => {
  it('belong to the threads of their numbers; the first has those of threads that are no more', () => {
    using folder = createFolder()
    for (const name of ['0', '1', '2', '10']) new Spool(spoolPath(folder.database, name))
    writeFileSync(`${folder.database}-spool-notes`, '')
    const of = (number: number, count: number) => spoolsOfThread(folder.database, { number, count })
    assert.deepEqual(of(0, 2), ['0', '10', '2'])
    assert.deepEqual(of(1, 2), ['1'])
    assert.deepEqual(of(0, 0), ['0', '1', '10', '2'])
  })
})
