import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { startApp } from '../examples/signup-app/app.ts'
import type { Fault } from '../examples/signup-app/mails.ts'
import { sharedService } from '../packages/server/test/testing-start-service.ts'
import { kept } from './build/build-cache.ts'

const ROOT = join(import.meta.dirname, '..')
const HERE = join(ROOT, 'clients', 'python')
const PYTHON = join(ROOT, 'node_modules', '.mayfly-python-client', 'bin', 'python')
const PACKAGES = ['mayfly', 'pytest-mayfly'] as const

/** What the packages and their types follow from. */
const SOURCES = ['clients/python/**/*.{py,ini,json,md,toml,txt,typed}', 'package-lock.json']

/** Plugins of pytest that are installed for other tests: loading them takes half of a short run. */
const UNUSED = ['allure_pytest', 'anyio', 'html', 'html_fixtures', 'mailpit', 'metadata', 'xdist']

/** How a program ended and what it said. */
type Outcome = { readonly isSuccess: boolean; readonly output: string }

// Together: much of their time is waiting.
describe('the Python packages', { concurrency: 3 }, () => {
  const service = sharedService()
  /** Where the wheels are installed; the tests use them as users do. */
  let installed = ''

  before(async () => {
    assert.ok(existsSync(PYTHON), 'Python packages are missing: run node tools/setup.mjs --test')
    const sources = [...SOURCES, 'clients/python/*/LICENSE']
    const built = await kept('python', sources, async (folder) => {
      const dist = join(folder, 'dist')
      for (const name of PACKAGES) {
        await succeed(['-m', 'hatchling', 'build', '-d', dist], { cwd: join(HERE, name) })
      }
      const files = (await readdir(dist)).map((file) => join(dist, file))
      assert.equal(files.filter((file) => file.endsWith('.tar.gz')).length, PACKAGES.length)
      const wheels = files.filter((file) => file.endsWith('.whl'))
      const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps']
      const target = ['--target', join(folder, 'installed')]
      await succeed([...pip, '--disable-pip-version-check', ...target, ...wheels])
    })
    installed = join(built, 'installed')
  })

  it('are formatted, linted and typed', async () => {
    const mypyCache = join(ROOT, 'node_modules', '.cache', 'mypy')
    const pyright = join(ROOT, 'node_modules', 'pyright', 'index.js')
    await succeed(['-m', 'ruff', 'check', '--no-cache', '.'])
    await succeed(['-m', 'ruff', 'format', '--no-cache', '--check', '.'])
    await succeed(['tools/unasync.py', '--check'])
    await succeed(['-m', 'mypy', '--cache-dir', mypyCache, '.'])
    // It keeps nothing of its own between runs.
    await kept('pyright', SOURCES, async () => {
      const typed = await run(process.execPath, [pyright, '--pythonpath', PYTHON])
      assert.ok(typed.isSuccess, typed.output)
    })
  })

  it('pass their tests against the service', async () => {
    await succeed(['-m', 'pytest', '-q'], { env: await connection() })
  })

  it('pass the examples while the application works', async () => {
    for (const suite of ['pytest', 'django', 'playwright'] as const) {
      const { isSuccess, output } = await runExample(suite, 'none')
      assert.ok(isSuccess, output)
    }
  })

  const broken: readonly ['pytest' | 'django' | 'playwright', Fault, RegExp][] = [
    ['pytest', 'silent', /No mail arrived for this address, and none was refused\./],
    ['django', 'misaddressed', /Refused:\nE\s+\d\d:\d\d:\d\d UTC {2}mail for .+ was refused: .+/],
    ['playwright', 'codeless', /"Welcome to Example App": no one-time code was found in it/],
  ]
  for (const [suite, fault, reason] of broken) {
    it(`say what happened when the application is ${fault} (${suite})`, async () => {
      const { isSuccess, output } = await runExample(suite, fault, ['-k', 'new_user'])
      assert.equal(isSuccess, false, output)
      assert.match(output, /A one-time code.* did not reach \w+@mayfly\.test within 2 s\./)
      assert.match(output, reason)
      // A mail that came without a code is its own explanation.
      assert.equal(/What to do next:/.test(output), fault !== 'codeless')
      assert.match(output, /-+ Mayfly inbox \w+@mayfly\.test -+/)
      assert.doesNotMatch(output, /mayfly\/_sync/)
    })
  }

  /** The variables by which a program finds the service, and the installed packages. */
  async function connection(): Promise<Readonly<Record<string, string>>> {
    const { httpUrl, smtpPort, register } = await service()
    return {
      MAYFLY_BASE_URL: httpUrl,
      MAYFLY_API_KEY: (await register()).key ?? '',
      MAYFLY_SMTP_PORT: String(smtpPort),
      MAYFLY_EXECUTABLE: join(ROOT, 'node_modules', '.bin', 'mayfly'),
      PYTHONPATH: installed,
    }
  }

  /** Runs an example suite against an application with this bug. */
  async function runExample(
    suite: 'pytest' | 'django' | 'playwright',
    fault: Fault,
    args: readonly string[] = [],
  ): Promise<Outcome> {
    const { smtpPort } = await service()
    await using app = await startApp({ smtpHost: '127.0.0.1', smtpPort, fault })
    const env = { ...(await connection()), APP_URL: app.url, FAULT: fault }
    // Waits for mail that does not come are short.
    const seconds = fault === 'none' ? 30 : 2
    const unused = suite === 'django' ? UNUSED : [...UNUSED, 'django']
    const without = unused.flatMap((plugin) => ['-p', `no:${plugin}`])
    const options = ['-q', '-o', `mayfly_timeout=${seconds}`, ...without, ...args]
    return await run(PYTHON, ['-m', 'pytest', ...options], {
      cwd: join(HERE, 'examples', suite),
      env,
    })
  }
})

type RunOptions = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

/** Runs Python, and fails with its output unless it succeeds. */
async function succeed(args: readonly string[], options?: RunOptions): Promise<void> {
  const { isSuccess, output } = await run(PYTHON, args, options)
  assert.ok(isSuccess, `${args.join(' ')}:\n${output}`)
}

/** Runs a program, by default in `clients/python`. */
function run(
  program: string,
  args: readonly string[],
  { cwd = HERE, env = {} }: RunOptions = {},
): Promise<Outcome> {
  // pytest compiles plugins and tests anew at each start where it cannot write.
  const unset = { PYTHONDONTWRITEBYTECODE: undefined, NODE_TEST_CONTEXT: undefined }
  const inherited = { ...process.env, ...unset }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  execFile(program, args, { cwd, env: { ...inherited, ...env } }, (error, stdout, stderr) =>
    resolve({ isSuccess: error === null, output: `${stdout}${stderr}` }),
  )
  return promise
}
