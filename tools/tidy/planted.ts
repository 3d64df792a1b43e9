import { linesOf } from './file-tree.ts'
import { SAMPLE_TREE } from './sample-tree.ts'

/** One file of the sample tree as it breaks a rule, and where that is to be reported. */
export type Planted = {
  readonly rule: string
  readonly file: string
  readonly text: string
  readonly at: string
}

const SERVER = 'packages/server/src'
const LONG_BODY = 'call()\n'.repeat(60)

type Plant = (rule: string, text: string, linesBelow?: number) => Planted

/** Adds to a file, or makes a new one; the first added line is reported, or one below it. */
function into(file: string): Plant {
  const before = SAMPLE_TREE.get(file) ?? ''
  return (rule, text, linesBelow = 0) => {
    const line = linesOf(before).length + 1 + linesBelow
    return { rule, file, text: `${before}${text}\n`, at: `${file}:${line}` }
  }
}

const inFeature = into('packages/server/src/features/inboxes/create.ts')
const inMail = into('packages/server/src/mail/limits.ts')
const inStore = into('packages/server/src/store/open.ts')
const inService = into('packages/server/src/service.ts')
const inSmtp = into('packages/server/src/smtp/server.ts')
const inHttp = into('packages/server/src/http/server.ts')
const inClient = into('packages/client/src/client.ts')
const inCli = into('packages/cli/src/main.ts')
const inTest = into('packages/server/src/store/open.test.ts')

const IN_IMPORTS: readonly Planted[] = [
  {
    ...into(`${SERVER}/store/dialect.ts`)('no-cycles', "import './open.ts'"),
    at: `${SERVER}/store/open.ts:3`,
  },
  into(`${SERVER}/features/old.ts`)('no-dead-files', ''),
  inMail('pure-core', "import type { Store } from '../store/open.ts'"),
  into(`${SERVER}/smtp/protocol.ts`)('pure-core', "import '../mail/limits.ts'"),
  inMail('pure-packages', "import { Readable } from 'node:stream'"),
  inMail('pure-packages', "import { zod } from '@mayfly/contract'"),
  inStore('store-below', "import '../platform/outbound-http.ts'"),
  inStore('store-drivers-alone', "import 'postal-mime'"),
  into('packages/contract/src/inboxes.ts')('contract-zod-alone', "import 'node:path'"),
  inClient('client-without-dependencies', "import 'vitest'"),
  inClient('packages-in-order', "await import('@mayfly/contract')"),
  inCli('packages-in-order', "import { inboxSchema } from '@mayfly/contract'"),
  inCli('packages-in-order', "import '../../server/src/config.ts'"),
  inFeature('packages-at-home', "import type { Selectable } from 'kysely'"),
  inSmtp('packages-at-home', "import 'fastify'"),
  inService('packages-at-home', "import 'undici'"),
  inFeature('packages-at-home', "import { request } from 'node:https'"),
  inFeature('features-apart', "import { receive } from '../receiving/receive.ts'"),
  inFeature('features-apart', "import { type Store } from '../../store/open.ts'"),
  inFeature('features-apart', "import type { feed } from '../../smtp/protocol.ts'"),
  inHttp('edges-apart', "import type { x } from '../mcp/server.ts'"),
  inHttp('edges-apart', "import { App } from '../app.ts'"),
  inSmtp('edges-apart', "import '../features/inboxes/allowance.ts'"),
  into(`${SERVER}/app.ts`)('one-assembler', "import '../src/store/open.ts'"),
  into(`${SERVER}/main.ts`)('one-assembler', "import './features/inboxes/allowance.ts'"),
  inStore('tests-apart', "import './testing/each.ts'"),
]

const IN_CODE: readonly Planted[] = [
  inService('environment-in-config', 'process.env.HOME'),
  inService('environment-in-config', 'const { env } = process'),
  inFeature('time-in-platform', 'Date.now()'),
  inFeature('time-in-platform', 'const now = globalThis.performance.now'),
  inMail('time-in-platform', 'new Date()'),
  inFeature('chance-in-platform', 'Math.random()'),
  inFeature('chance-in-platform', 'crypto.randomUUID()'),
  inFeature('chance-in-platform', "import { randomBytes } from 'node:crypto'"),
  inFeature('no-global-fetch', "fetch('http://example.com')"),
  inFeature('no-global-fetch', 'const get = globalThis.fetch'),
  inFeature('no-global-fetch', "new WebSocket('ws://example.com')"),
  inFeature('short-functions', `const long = () => {\n${LONG_BODY}}`),
  inFeature('few-parameters', 'function f(a, b, c, d) {}'),
  inFeature('reasons-for-as', 'const a = b as string'),
  inFeature('no-default-export', 'export default 1'),
  inFeature('no-default-export', 'export { allowance as default }'),
  inFeature('hash-private', 'class A {\n  private a = 1\n}', 1),
  inFeature('no-console', 'console.log(1)'),
  inTest('no-skipped-tests', "it.skip('x', () => {})"),
  inTest('no-skipped-tests', "describe.only('x', () => {})"),
  inFeature('no-open-ends', '/*\n TODO: the rest */', 1),
  into('ARCHITECTURE.md')('no-open-ends', 'FIXME'),
  inFeature('documented-exports', 'export const bare = 1'),
  inFeature('documented-exports', 'const bare = 1\nexport { bare }'),
  into('tools/index.ts')('one-barrel', 'export const a = 1'),
  into('tools/all.ts')('one-barrel', "export * from './setup/browser.mjs'"),
]

const IN_THE_REPOSITORY: readonly Planted[] = [
  into('bench/ingest.ts')('short-files', '\n'.repeat(300), 297),
  into('tools/setup/browser.mjs')('short-lines', `//${' '.repeat(100)}.`),
  into('tools/string-utils.ts')('telling-names', ''),
  into('bench/ingest.test.ts')('tests-that-run', ''),
  into('package-lock.json')('portable-lock-file', '"resolved": "https://example.com/a.tgz"'),
  into('ARCHITECTURE.md')('no-machine-paths', `See /${'home'}/me/mayfly.`),
  into('.npmrc')('no-registry-hosts', 'registry=https://npm.example.com'),
  into('packages/dashboard/package.json')('exact-versions', manifest({ preact: '^10.0.0' }), 2),
  {
    rule: 'explained-dependencies',
    file: 'ARCHITECTURE.md',
    text: 'zod, kysely, fastify, postal-mime and undici-types\n',
    at: 'packages/server/package.json:9',
  },
  into(`${SERVER}/platform/clock.ts`)('declared-dependencies', "import 'pino'"),
  {
    rule: 'used-dependencies',
    file: `${SERVER}/mail/parse.ts`,
    text: "import './limits.ts'\n",
    at: 'packages/server/package.json:8',
  },
]

function manifest(devDependencies: Readonly<Record<string, string>>): string {
  return JSON.stringify({ devDependencies }, null, 1)
}

/** At least one violation of every rule. */
export const PLANTED: readonly Planted[] = [...IN_IMPORTS, ...IN_CODE, ...IN_THE_REPOSITORY]
