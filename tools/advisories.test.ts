import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findAffected } from './advisories.ts'

const LOCK = join(import.meta.dirname, '..', 'package-lock.json')

/** A lock file with one package. */
const lockOf = (folder: string, version: string) => ({ packages: { [folder]: { version } } })

describe('known advisories', () => {
  it('are about no package of the lock file', () => {
    assert.deepEqual(findAffected(JSON.parse(readFileSync(LOCK, 'utf8'))), [])
  })

  it('are found from the first version to the one before the fix, wherever it is installed', () => {
    const found = 'node_modules/ws 8.0.0: GHSA-3h5v-q93c-6h6q'
    assert.deepEqual(findAffected(lockOf('node_modules/ws', '8.0.0')), [found])
    assert.equal(findAffected(lockOf('node_modules/a/node_modules/ws', '8.17.0')).length, 1)
    assert.equal(findAffected(lockOf('node_modules/@babel/runtime', '7.9.10')).length, 1)
    for (const [folder, version] of [
      ['node_modules/ws', '8.17.1'],
      ['node_modules/ws', '7.99.0'],
      ['node_modules/ws', '10.0.0'],
      ['node_modules/not-ws', '8.0.0'],
    ] as const) {
      assert.deepEqual(findAffected(lockOf(folder, version)), [], `${folder} ${version}`)
    }
  })
})
