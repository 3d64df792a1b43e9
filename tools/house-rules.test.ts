// Each house rule finds a violation that is planted for it. That the repository itself has none is
// for `npm run check` to say.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'

const ROOT = dirname(import.meta.dirname)
const FEATURE = 'packages/server/src/features/inboxes'
const SERVER = 'packages/server/src'

/** The rule, the file that breaks it, what stands there. */
type Planted = readonly (readonly [rule: string, file: string, text: string])[]

const IN_CODE: Planted = [
  ['style/noProcessEnv', `${FEATURE}/environment.ts`, 'process.env.HOME'],
  ['plugin', `${FEATURE}/time.ts`, 'Date.now()'],
  ['plugin', `${FEATURE}/today.ts`, 'new Date()'],
  ['plugin', `${FEATURE}/chance.ts`, 'Math.random()'],
  ['plugin', `${SERVER}/store/id.ts`, 'crypto.randomUUID()'],
  ['plugin', 'packages/mail/src/time.ts', 'performance.now()'],
  ['plugin', `${FEATURE}/destructured.ts`, 'export const { env } = process'],
  ['plugin', `${SERVER}/todo.test.ts`, "it.todo('x')"],
  ['style/noRestrictedImports', `${FEATURE}/bytes.ts`, "import { randomBytes } from 'node:crypto'"],
  ['style/noRestrictedImports', `${FEATURE}/socket.ts`, "import { connect } from 'node:net'"],
  ['style/noRestrictedGlobals', `${FEATURE}/fetch.ts`, "fetch('http://example.com')"],
  ['style/noRestrictedGlobals', `${FEATURE}/web-socket.ts`, "new WebSocket('ws://example.com')"],
  ['complexity/useMaxParams', `${FEATURE}/parameters.ts`, 'function f(a, b, c, d) {}'],
  [
    'complexity/noExcessiveLinesPerFunction',
    `${FEATURE}/long.ts`,
    `function f() {\n${'f()\n'.repeat(61)}}`,
  ],
  ['style/noDefaultExport', `${FEATURE}/default.ts`, 'export default 1'],
  [
    'style/useConsistentMemberAccessibility',
    `${FEATURE}/private.ts`,
    'class A {\n  private a = 1\n}',
  ],
  ['suspicious/noConsole', `${FEATURE}/console.ts`, 'console.log(1)'],
  ['suspicious/noSkippedTests', `${SERVER}/skipped.test.ts`, "it.skip('x', () => {})"],
  ['suspicious/noFocusedTests', `${SERVER}/focused.test.ts`, "describe.only('x', () => {})"],
  ['performance/noBarrelFile', `${SERVER}/features/barrel.ts`, "export { a } from './a.ts'"],
  ['performance/noBarrelFile', 'tools/all.ts', "export * from './a.ts'"],
  ['style/useFilenamingConvention', `${FEATURE}/camelCase.ts`, 'export {}'],
  ['correctness/noUndeclaredDependencies', `${FEATURE}/log.ts`, "import { pino } from 'pino'"],
  ['nursery/noFloatingPromises', `${FEATURE}/promise.ts`, 'async function f() {}\nf()'],
]

const IN_IMPORTS: Planted = [
  ['no-cycles', `${FEATURE}/cycle-a.ts`, "import './cycle-b.ts'"],
  ['resolvable', `${FEATURE}/unresolved.ts`, "import './missing.ts'"],
  ['telling-names', `${FEATURE}/drawer.ts`, "import './string-utils.ts'"],
  ['tests-apart', `${FEATURE}/tested.ts`, "import '../../../test/start.ts'"],
  ['packages-by-name', 'packages/cli/src/path.ts', "import '../../client/src/index.ts'"],
  ['contract', 'packages/contract/src/a.ts', "import type { A } from '../../mail/src/index.ts'"],
  ['contract-outside', 'packages/contract/src/b.ts', "import 'node:path'"],
  ['mail-is-pure', 'packages/mail/src/a.ts', "import '../../contract/src/index.ts'"],
  ['mail-is-pure-outside', 'packages/mail/src/b.ts', "import { Readable } from 'node:stream'"],
  [
    'protocol-is-pure',
    'packages/smtp/src/protocol/a.ts',
    "import type { A } from '../server/a.ts'",
  ],
  ['protocol-is-pure-outside', 'packages/smtp/src/protocol/b.ts', "import 'node:net'"],
  ['smtp', 'packages/smtp/src/server/a.ts', "import '../../../mail/src/index.ts'"],
  ['client', 'packages/client/src/testing/a.ts', "import '../../../mail/src/index.ts'"],
  [
    'client-by-import-type',
    'packages/client/src/a.ts',
    "await import('../../contract/src/index.ts')",
  ],
  ['client-without-dependencies-outside', 'packages/client/src/b.ts', "import 'zod'"],
  ['cli', 'packages/cli/src/a.ts', "import '../../server/src/store/open.ts'"],
  ['cli-by-import-type', 'packages/cli/src/b.ts', "import '../../contract/src/index.ts'"],
  ['dashboard', 'packages/dashboard/src/a.ts', "import '../../contract/src/index.ts'"],
  ['dashboard-outside', 'packages/dashboard/src/b.ts', "import 'node:path'"],
  ['store', `${SERVER}/store/a.ts`, "import type { A } from '../features/inboxes/create.ts'"],
  ['store-by-import-type', `${SERVER}/store/b.ts`, "import '../../../mail/src/index.ts'"],
  ['platform', `${SERVER}/platform/a.ts`, "import type { A } from '../store/open.ts'"],
  ['config', `${SERVER}/config/a.ts`, "import type { A } from '../platform/clock.ts'"],
  ['signals', `${SERVER}/signals/a.ts`, "import type { A } from '../features/inboxes/create.ts'"],
  ['signals-by-import-type', `${SERVER}/signals/b.ts`, "import '../store/open.ts'"],
  ['features', `${FEATURE}/a.ts`, "import type { A } from '../../http/server.ts'"],
  ['features', `${FEATURE}/b.ts`, "import type { A } from '../../app/api.ts'"],
  ['features-by-import-type', `${FEATURE}/c.ts`, "import { a } from '../webhooks/claim.ts'"],
  ['features-by-import-type', `${FEATURE}/d.ts`, "import { a } from '../../store/open.ts'"],
  [
    'features-by-import-type',
    `${FEATURE}/e.ts`,
    "import type { A } from '../webhooks/claim.ts'\nimport { a } from '../webhooks/claim.ts'",
  ],
  ['rules-are-pure', `${SERVER}/features/rules/a.ts`, "import 'node:timers/promises'"],
  ['http', `${SERVER}/http/a.ts`, "import type { A } from '../mcp/server.ts'"],
  ['http', `${SERVER}/http/b.ts`, "import type { A } from '../features/inboxes/create.ts'"],
  ['http-by-import-type', `${SERVER}/http/c.ts`, "import { a } from '../app/api.ts'"],
  ['mcp', `${SERVER}/mcp/a.ts`, "import type { A } from '../http/server.ts'"],
  ['mcp-by-import-type', `${SERVER}/mcp/b.ts`, "import { a } from '../app/api.ts'"],
  ['app', `${SERVER}/app/a.ts`, "import type { A } from '../threads/hosted-thread.ts'"],
  ['threads', `${SERVER}/threads/a.ts`, "import type { A } from '../assembly/service.ts'"],
  [
    'threads-by-import-type',
    `${SERVER}/threads/b.ts`,
    "import { a } from '../features/inboxes/create.ts'",
  ],
  ['main', `${SERVER}/main.ts`, "import './features/inboxes/create.ts'"],
  ['sql-at-home', `${FEATURE}/sql.ts`, "import type { Selectable } from 'kysely'"],
  ['sql-at-home', `${FEATURE}/sqlite.ts`, "import 'node:sqlite'"],
  ['pg-at-home', `${FEATURE}/pg.ts`, "import 'pg'"],
  ['fastify-at-home', `${SERVER}/mcp/fastify.ts`, "import 'fastify'"],
  ['mcp-sdk-at-home', `${SERVER}/http/sdk.ts`, "import '@modelcontextprotocol/server'"],
  ['undici-at-home', `${SERVER}/assembly/undici.ts`, "import 'undici'"],
  ['node-http-at-home', `${FEATURE}/https.ts`, "import { request } from 'node:https'"],
]

const LIVE = 'export const a = 1\nexport const dead = 1\nexport type Dead = 1'

const DEAD: Planted = [
  ['files', 'packages/client/src/dead.ts', ''],
  ['exports', 'packages/client/src/live.ts', LIVE],
  ['types', 'packages/client/src/live.ts', LIVE],
  ['dependencies', 'packages/smtp/package.json', manifest({ dependencies: { zod: '1.0.0' } })],
  ['unlisted', 'packages/client/src/index.ts', "import 'ky'\nexport { a } from './live.ts'"],
]

const UNTIDY: Planted = [
  ['reasons-for-as', 'tools/as.ts', 'const a = 1\n\nconst b = a as number'],
  ['documented-exports', `${FEATURE}/bare.ts`, 'export const bare = 1'],
  ['plain-words', `${FEATURE}/told.ts`, '// The other nodes are told.'],
  ['plain-words', `${FEATURE}/looked.ts`, 'let lookedUpTo = 0'],
  ['no-open-ends', 'docs/open.md', `TO${'DO'}: the rest`],
  ['short-lines', 'tools/wide.ts', `// ${'wide '.repeat(20)}`],
  ['no-machine-paths', 'docs/path.md', `See /${'home'}/me/mayfly.`],
  ['no-registry-hosts', '.npmrc', `registry${'='}https://npm.example.com`],
  ['portable-lock-file', 'package-lock.json', '"resolved": "https://example.com/a.tgz"'],
  ['exact-versions', 'packages/mail/package.json', manifest({ dependencies: { a: '^1.0.0' } })],
  [
    'explained-dependencies',
    'packages/smtp/package.json',
    manifest({ dependencies: { zod: '1.0.0' } }),
  ],
]

/** What the planted imports lead to, and the settings under test. */
const SURROUNDINGS = {
  'package.json': manifest({ workspaces: ['packages/*'] }),
  'packages/client/package.json': manifest({ name: '@mayfly/client', exports: './src/index.ts' }),
  'packages/server/package.json': manifest({ name: '@mayfly/server' }),
  [`${FEATURE}/cycle-b.ts`]: "import './cycle-a.ts'",
  ...Object.fromEntries(
    [
      ...['contract', 'mail'].map((name) => `packages/${name}/src/index.ts`),
      ...['app/api', 'assembly/service', 'http/server', 'mcp/server'].map(
        (name) => `${SERVER}/${name}.ts`,
      ),
      ...['platform/clock', 'store/open', 'threads/hosted-thread'].map(
        (name) => `${SERVER}/${name}.ts`,
      ),
      ...[`${FEATURE}/create.ts`, `${FEATURE}/string-utils.ts`],
      ...[`${SERVER}/features/webhooks/claim.ts`, 'packages/server/test/start.ts'],
    ].map((file) => [file, '']),
  ),
  ...Object.fromEntries(
    ['@modelcontextprotocol/server', 'fastify', 'kysely', 'pg', 'undici', 'zod'].flatMap((name) => [
      [`node_modules/${name}/package.json`, manifest({ name, main: 'index.js' })],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),
}
const SETTINGS = [
  ...['.dependency-cruiser.mjs', '.gitignore', 'biome.json', 'knip.json', 'tsconfig.json'],
  ...['tools/skipped-tests.grit', 'tools/time-and-randomness.grit'],
]

describe('the house rules', () => {
  let root = ''
  const found = new Set<string>()

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mayfly-planted-'))
    const planted = [...IN_CODE, ...IN_IMPORTS, ...DEAD, ...UNTIDY].map(([, file, text]) => [
      file,
      text,
    ])
    await plant(root, { ...SURROUNDINGS, ...Object.fromEntries(planted) })
    for (const file of SETTINGS) await cp(join(ROOT, file), join(root, file))
    await run(root, 'git', ['init', '--quiet'])
    const lists = await Promise.all([lint(root), cruise(root), findDead(root), tidy(root)])
    for (const broken of lists.flat()) found.add(broken)
  })

  after(() => rm(root, { recursive: true, force: true }))

  for (const [rule, file] of [...IN_CODE, ...IN_IMPORTS, ...DEAD, ...UNTIDY]) {
    it(`find ${rule} in ${file}`, () => {
      assert.ok(found.has(`${rule} ${file}`), [...found].filter((one) => one.endsWith(file)).join())
    })
  }
})

async function plant(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), `${text}\n`)
  }
}

async function lint(root: string): Promise<string[]> {
  const args = ['lint', '--reporter=json', '--colors=off', '--max-diagnostics=none', '.']
  const { diagnostics } = JSON.parse(await run(root, bin('biome'), args))
  return diagnostics.map(
    ({ category, location }: { category: string; location: { path: string } }) =>
      `${category.replace(/^lint\//, '')} ${location.path}`,
  )
}

async function cruise(root: string): Promise<string[]> {
  const { summary } = JSON.parse(await run(root, bin('depcruise'), ['-T', 'json', 'packages']))
  return summary.violations.map(
    ({ rule, from }: { rule: { name: string }; from: string }) => `${rule.name} ${from}`,
  )
}

async function findDead(root: string): Promise<string[]> {
  const { issues } = JSON.parse(await run(root, bin('knip'), ['--reporter=json']))
  return issues.flatMap(({ file, ...lists }: { file: string }) =>
    Object.entries(lists)
      .filter(([, list]) => Array.isArray(list) && list.length > 0)
      .map(([rule]) => `${rule} ${file}`),
  )
}

async function tidy(root: string): Promise<string[]> {
  const lines = await run(root, process.execPath, [join(ROOT, 'tools', 'tidy.ts'), root])
  return [...lines.matchAll(/^(.+):\d+ {2}([\w-]+)/gm)].map(([, file, rule]) => `${rule} ${file}`)
}

/** What a program prints; these end with a failure when they have found something. */
function run(cwd: string, program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) =>
      resolve(stdout),
    )
  })
}

function bin(name: string): string {
  return join(ROOT, 'node_modules', '.bin', name)
}

function manifest(content: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(content)
}
