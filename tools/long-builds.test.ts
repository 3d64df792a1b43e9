import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { hashesOf, LONG_BUILDS, listGreen, recordGreen } from './long-builds.ts'

const BUILD = 'tools/fitted-codes.test.ts'

it('skips a long build that was green with the same inputs', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-builds-'))
  const record = join(folder.path, 'cache', 'green-builds.json')
  assert.deepEqual(await listGreen([BUILD], record), [])
  recordGreen({ [BUILD]: 'of other inputs' }, record)
  assert.deepEqual(await listGreen([BUILD], record), [])
  recordGreen(await hashesOf([BUILD]), record)
  recordGreen({ 'another.test.ts': 'x' }, record)
  assert.deepEqual(await listGreen([BUILD], record), [BUILD])
})

it('knows the inputs of every long build, and of no other test', async () => {
  assert.deepEqual(await hashesOf(['packages/mail/test/otp.test.ts']), {})
  assert.deepEqual(Object.keys(await hashesOf(LONG_BUILDS)), LONG_BUILDS)
})
