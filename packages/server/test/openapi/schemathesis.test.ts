import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startDnsServer } from '../testing-dns-server.ts'
import { startService } from '../testing-start-service.ts'

const PROGRAM = fileURLToPath(
  new URL('../../../../node_modules/.mayfly-python/bin/schemathesis', import.meta.url),
)
const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Generated cases, and seconds in which there may be more of them. */
const EFFORT =
  process.env['SOAK'] === undefined
    ? ['--phases', 'examples,coverage,fuzzing', '--max-examples', '2']
    : ['--max-examples', '200']

describe('the service as openapi.json describes it', () => {
  it('passes every check of schemathesis', async () => {
    assert.ok(existsSync(PROGRAM), 'schemathesis is missing: run node tools/setup.mjs --test')
    await using dns = await startDnsServer()
    await using service = await startService({
      env: { MAYFLY_DNS_SERVERS: dns.address, MAYFLY_REGISTRATIONS_PER_HOUR: '1000000' },
    })
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-schemathesis-'))
    try {
      const { status, output } = await run(folder, service.httpUrl)
      assert.equal(status, 0, output)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

/** Runs schemathesis in a folder, where it leaves its caches. */
function run(
  folder: string,
  httpUrl: string,
): Promise<{ readonly status: number | string | null; readonly output: string }> {
  const args = [
    '--config-file',
    join(HERE, 'schemathesis.toml'),
    'run',
    `${httpUrl}/openapi.json`,
    ...EFFORT,
    '--seed=1',
    // More of them compete for Python's lock.
    '--workers=1',
    '--continue-on-failure',
    '--warnings=off',
    // Streams do not end, and a sample event would be sent to whatever host was generated.
    '--exclude-path-regex=/events$',
    '--exclude-operation-id=testWebhook',
  ]
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: join(HERE, 'hooks.py'),
    MAYFLY_BASE_URL: httpUrl,
    NO_COLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  }
  return new Promise((resolve) => {
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
    execFile(PROGRAM, args, options, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, output: `${stdout}\n${stderr}` }),
    )
  })
}
