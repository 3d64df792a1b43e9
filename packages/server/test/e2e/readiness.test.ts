import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type ApiClient, createApiClient } from '../testing-api-client.ts'
import { createSqlite } from '../testing-databases.ts'
import { startPostgres } from '../testing-postgres.ts'
import { stoppablePostgres } from '../testing-postgres-faults.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

/** Asks until the node is ready. */
async function untilReady(api: ApiClient): Promise<void> {
  await until(async () => ((await api.get('/readyz')).status === 200 ? true : null))
}

async function assertAlive(api: ApiClient): Promise<void> {
  for (const path of ['/healthz', '/livez']) {
    assert.deepEqual((await api.get(path)).body, { status: 'alive' })
  }
}

describe('readiness', { timeout: 120_000 }, () => {
  it('names every thread whose PostgreSQL does not answer', async () => {
    await using postgres = await startPostgres()
    const { freeze, thaw } = await stoppablePostgres(postgres.url)
    await using service = await startService({
      database: postgres,
    })
    const api = service.anonymous
    await untilReady(api)
    freeze()
    try {
      const { status, body } = await api.get('/readyz')
      assert.equal(status, 503)
      assert.equal(body.error.code, 'not_ready')
      assert.deepEqual(Object.keys(body.checks).sort(), ['receiving', 'storage'])
      await assertAlive(api)
    } finally {
      thaw()
    }
    await untilReady(api)
  })

  it('names a disk that is full or cannot be written', async () => {
    await using database = await createSqlite()
    const marker = `${database.url.slice('sqlite:'.length)}.full`
    // What the disk of the store says is replaced; the disk of the machine must not be filled.
    const preload = `import fs from 'node:fs'
      import promises from 'node:fs/promises'
      import { syncBuiltinESMExports } from 'node:module'
      const { statfs } = promises
      promises.statfs = async (path) => ({
        ...(await statfs(path)),
        ...(fs.existsSync(${JSON.stringify(marker)}) ? { bavail: 0 } : {}),
      })
      syncBuiltinESMExports()`
    await using server = startServerProcess(
      { MAYFLY_DATABASE_URL: database.url },
      [],
      [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
    )
    const api = createApiClient((await server.ready).httpUrl, null)
    assert.deepEqual((await api.get('/readyz')).body, { status: 'ready' })
    await writeFile(marker, '')
    const { status, body } = await api.get('/readyz')
    assert.equal(status, 503)
    assert.match(body.checks.disk, /less than \d+ bytes left/)
    await assertAlive(api)
    await rm(marker)
    await untilReady(api)
  })
})
