import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'

describe('a process that has loaded the embedded PostgreSQL', () => {
  it('ends with the status that was set, so that failed tests fail the run', () => {
    const postgres = new URL('./testing-postgres.ts', import.meta.url).href
    for (const status of [0, 3]) {
      const program = `import { loadEmbeddedPostgres } from '${postgres}'
        await loadEmbeddedPostgres()
        process.exitCode = ${status}`
      const { status: ended, stderr } = spawnSync(process.execPath, [
        ...['--input-type=module', '-e', program],
      ])
      assert.equal(ended, status, String(stderr))
    }
  })
})
