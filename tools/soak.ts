// The long forms of the tests: hours.
//
//   npm run soak                             all suites, one after the other
//   npm run soak -- --list                   their names
//   npm run soak -- --only kills,full-disk   some of them
//   npm run soak -- --only kills --database PostgreSQL --count 100
//
// FUZZ_SEED chooses the inputs of the fuzz suites. Each suite writes how far it is; the exit status
// is 1 when one fails.

import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createTemplate, startPostgres } from '../packages/server/test/testing-postgres.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const DAY_MS = 24 * 60 * 60 * 1000

/** The suites, with their rounds when --count does not say otherwise. */
const SUITES: Readonly<Record<string, { readonly file: string; readonly what: string }>> = {
  kills: {
    file: 'packages/server/test/e2e/crash.test.ts',
    what: 'the process is killed under load, 1,000 times on each database',
  },
  dispatcher: {
    file: 'packages/server/test/e2e/webhook-crash.test.ts',
    what: 'the dispatcher is killed 500 times with 10,000 events, on each database',
  },
  interleavings: {
    file: 'packages/server/test/e2e/interleaving.test.ts',
    what: '100,000 waits against arrivals, on each database',
  },
  'full-disk': {
    file: 'packages/server/test/soak/full-disk.ts',
    what: 'a disk of 64 MB is full 50 times (SQLite; needs root)',
  },
  clients: {
    file: 'packages/server/test/soak/provider-clients.ts',
    what: "providers' APIs, with clients for Go, PHP and Ruby (Debian; needs root and Go)",
  },
  'steady-load': {
    file: 'packages/server/test/soak/steady-load.ts',
    what: 'two hours of 20 mails a second, waits, streams, webhooks and deletions',
  },
  mails: { file: 'packages/mail/test/fuzz-mime.test.ts', what: '1,000,000 changed mails' },
  dialogues: {
    file: 'packages/smtp/test/fuzz-dialogues.test.ts',
    what: '1,000,000 changed SMTP dialogues',
  },
  mailboxes: {
    file: 'packages/pop3/src/protocol/machine.test.ts',
    what: '1,000,000 changed POP3 dialogues',
  },
  bodies: {
    file: 'packages/server/test/e2e/fuzz-bodies.test.ts',
    what: '1,000,000 changed requests on SQLite, a tenth on PostgreSQL',
  },
  images: {
    file: 'packages/server/src/features/thumbnails/thumbnail.test.ts',
    what: 'each byte of an image changed, and the image cut off there',
  },
  languages: {
    file: 'examples/languages.ts',
    what: 'the programs of docs/other-languages.md whose language is installed',
  },
  schemathesis: {
    file: 'packages/server/test/openapi/schemathesis.test.ts',
    what: 'the API against openapi.json, with more examples',
  },
  frames: {
    file: 'packages/server/test/e2e/frames.test.ts',
    what: 'all hostile HTML in the frame of the dashboard',
  },
  dashboard: {
    file: 'packages/dashboard/test/hostile.test.ts',
    what: 'all hostile HTML in the dashboard',
  },
  accessibility: {
    file: 'packages/dashboard/test/accessibility.test.ts',
    what: 'axe on every page of the dashboard, at three widths, in light and dark',
  },
}

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(SUITES).join() },
    database: { type: 'string' },
    count: { type: 'string' },
  },
})
const chosen = values.only.split(',').map((name) => {
  const suite = SUITES[name]
  if (suite === undefined) fail(`there is no suite "${name}"; they are ${Object.keys(SUITES)}`)
  return { name, ...suite }
})
if (values.database !== undefined && !/^(SQLite|PostgreSQL)$/.test(values.database)) {
  fail('--database is SQLite or PostgreSQL')
}
if (values.count !== undefined && !/^[1-9]\d*$/.test(values.count)) fail('--count is a number')

if (values.list) for (const { name, what } of chosen) say(`${name.padEnd(14)} ${what}`)
else await run()

async function run(): Promise<void> {
  await using postgres = await startPostgres()
  await createTemplate(postgres.url)
  const env = {
    ...process.env,
    SOAK: '1',
    TEST_POSTGRES_URL: postgres.url,
    ...(values.count === undefined ? {} : { SOAK_COUNT: values.count }),
  }
  for (const { name, what, file } of chosen) {
    say(`\n== ${name}: ${what}`)
    const startedAt = performance.now()
    const child = spawn(process.execPath, argsOf(file), { cwd: ROOT, env, stdio: 'inherit' })
    const status = await new Promise((resolve) => child.once('exit', resolve))
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
    say(`== ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${minutes} min`)
    if (status !== 0) process.exitCode = 1
  }
}

/** A suite that is no test file takes the name of the database as its argument. */
function argsOf(file: string): string[] {
  const { database } = values
  if (!file.endsWith('.test.ts')) return [file, ...(database === undefined ? [] : [database])]
  const only = database === undefined ? [] : [`--test-name-pattern=on ${database}`]
  return ['--test', `--test-timeout=${DAY_MS}`, ...only, file]
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function fail(reason: string): never {
  say(`soak: ${reason}.`)
  process.exit(2)
}
