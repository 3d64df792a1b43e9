// Who may import whom. `npm test` runs it; alone: npx depcruise packages tools bench examples
//
// A thread's file, started by `new URL(…)`, is no import here; knip follows it to find dead files.

/** `import type`: known to the compiler, not loaded. */
const TYPES = ['type-only', 'type-import']
const TESTS = '^packages/([^/]+/test/|.+\\.test\\.ts$)'
const DRAWERS =
  '^(?!node_modules/).*(/types|[/-](utils?|helpers?|common|misc|manager))(/|\\.[a-z]+$)'
const SERVER = 'server/src/'
/** Files beside the server's folders that belong to none of them. */
const SHARED = [
  'contract/',
  `${SERVER}(errors|expiry|ip-address|mail-id|bundled-files|sortable-id)\\.ts`,
]

/**
 * Of our own code a place may import `values`, and `types` by `import type`; of packages and of
 * Node's modules everything, or `outside` alone where that is given. Paths begin below packages/.
 */
const PLACES = [
  { name: 'contract', place: 'contract/', values: ['contract/'], outside: ['zod'] },
  {
    name: 'mail-is-pure',
    place: 'mail/',
    values: ['mail/'],
    // They parse; they have no I/O, clock or randomness.
    outside: ['entities', 'sanitize-html'],
    // It reads the tables of this package.
    except: 'mail/src/codes/data-files\\.ts',
  },
  {
    name: 'protocol-is-pure',
    place: 'smtp/src/protocol/',
    values: ['smtp/src/protocol/'],
    outside: [],
  },
  { name: 'smtp', place: 'smtp/', values: ['smtp/'] },
  {
    name: 'pop3-protocol-is-pure',
    place: 'pop3/src/protocol/',
    // Both protocols have lines that end with CRLF.
    values: ['pop3/src/protocol/', 'smtp/src/protocol/input\\.ts'],
    outside: [],
  },
  {
    name: 'pop3',
    place: 'pop3/',
    // Both accept clients in the same way.
    values: ['pop3/', 'smtp/src/protocol/input\\.ts', 'smtp/src/listener/'],
  },
  { name: 'client', place: 'client/', values: ['client/'], types: ['contract/'] },
  {
    name: 'client-without-dependencies',
    place: 'client/src/(?!testing/)',
    values: ['client/'],
    types: ['contract/'],
    outside: [],
  },
  {
    name: 'cli',
    place: 'cli/',
    values: ['cli/', 'client/', `${SERVER}(index|main)\\.ts`],
    types: ['contract/'],
  },
  {
    // It runs in browsers, and knows the service by the client alone.
    name: 'dashboard',
    place: 'dashboard/src/',
    values: ['dashboard/src/', 'client/'],
    outside: ['preact', '@preact/signals'],
  },
  server('store', { types: ['mail/'] }),
  server('platform'),
  server('config', { values: ['mail/'] }),
  server('signals', { types: inServer('store/', 'platform/') }),
  {
    // $1 is the feature that imports; what it needs of others it gets as arguments, unless it is
    // a rule.
    name: 'features',
    place: `${SERVER}features/([^/]+)/`,
    values: [...SHARED, 'mail/', ...inServer('features/$1/', 'features/rules/')],
    types: inServer('features/', 'receiving/', 'store/', 'platform/', 'signals/'),
  },
  {
    // A mail's path. It ends in the store, which it gets as an argument.
    name: 'receiving',
    place: `${SERVER}receiving/`,
    values: [...SHARED, 'mail/', 'smtp/', ...inServer('receiving/', 'features/', 'platform/')],
    types: inServer('store/', 'signals/'),
  },
  server('http', {
    values: inServer('platform/request-body/'),
    types: inServer('app/api\\.ts', 'platform/'),
  }),
  // The APIs of providers. What grows with a call's body runs in a thread (run-call.ts).
  server('providers', {
    values: ['mail/', ...inServer('platform/request-body/')],
    types: inServer('app/api\\.ts', 'features/providers/', 'platform/'),
  }),
  server('mcp', { types: inServer('app/api\\.ts', 'platform/') }),
  // What the interfaces call and what threads run: the features, with what they need.
  server('app', {
    values: [
      ...['mail/', 'smtp/', 'pop3/'],
      ...inServer('config/', 'features/', 'platform/', 'receiving/', 'signals/', 'store/'),
    ],
  }),
  server('threads', {
    values: inServer(
      ...['app/', 'features/providers/', 'platform/', 'providers/', 'receiving/', 'signals/'],
      'store/',
    ),
    types: inServer('config/', 'features/'),
  }),
  {
    name: 'main',
    place: `${SERVER}main\\.ts`,
    values: [...SHARED, ...inServer('assembly/', 'config/')],
  },
]

/** What only one place of the server may import. */
const HOMES = [
  { name: 'sql', what: 'node_modules/kysely/|node:sqlite', home: 'store/' },
  { name: 'pg', what: 'node_modules/pg/', home: '(store/|signals/node-signals\\.ts)' },
  { name: 'fastify', what: 'node_modules/(fastify|fastify-[^/]+|@fastify/[^/]+)/', home: 'http/' },
  { name: 'mcp-sdk', what: 'node_modules/@modelcontextprotocol/', home: 'mcp/' },
  { name: 'undici', what: 'node_modules/undici/', home: 'platform/outbound/' },
  {
    name: 'node-http',
    what: 'https?$|http2$',
    home: '(http|platform/outbound|providers)/',
    values: true,
  },
]

/** @type {import('dependency-cruiser').IConfiguration} */
const configuration = {
  forbidden: [
    // Types too: two files that need each other's types are one file in two places.
    forbid('no-cycles', {}, { circular: true }),
    // A name that fits anything: `mime-types` says what it holds, `types` does not.
    forbid('telling-names', {}, { path: DRAWERS }),
    forbid('resolvable', {}, { couldNotResolve: true }),
    forbid('tests-apart', { path: '^packages/[^/]+/src/', pathNot: TESTS }, { path: TESTS }),
    forbid(
      'packages-by-name',
      { path: '^packages/([^/]+)/src/', pathNot: TESTS },
      { path: '^packages/(?!$1/)', dependencyTypes: ['local'] },
    ),
    ...PLACES.flatMap(rulesOfPlace),
    forbid(
      // What they decide by is an argument.
      'rules-are-pure',
      { path: `^packages/${SERVER}features/rules/`, pathNot: TESTS },
      { pathNot: '^packages/', dependencyTypesNot: TYPES },
    ),
    ...HOMES.map(({ name, what, home, values = false }) =>
      forbid(
        `${name}-at-home`,
        { path: `^packages/${SERVER}`, pathNot: [TESTS, `^packages/${SERVER}${home}`] },
        { path: `^(${what})`, ...(values ? { dependencyTypesNot: TYPES } : {}) },
      ),
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
export default configuration

function server(name, { values = [], types = [] } = {}) {
  const place = `${SERVER}${name}/`
  return { name, place, values: [...SHARED, place, ...values], types }
}

function inServer(...paths) {
  return paths.map((path) => SERVER + path)
}

function rulesOfPlace({ name, place, values, types = [], outside = null, except = null }) {
  const within = [TESTS, ...(except === null ? [] : [`^packages/${except}`])]
  const from = { path: `^packages/${place}`, pathNot: TESTS }
  const below = (paths) => paths.map((path) => `^packages/${path}`)
  const loaded = { dependencyTypesNot: TYPES }
  const rules = [forbid(name, from, { path: '^packages/', pathNot: below([...values, ...types]) })]
  if (types.length > 0) {
    const to = { path: below(types), pathNot: below(values), ...loaded }
    rules.push(forbid(`${name}-by-import-type`, from, to))
  }
  if (outside !== null) {
    const pathNot = ['^packages/', ...outside.map((name) => `^node_modules/${name}/`)]
    rules.push(forbid(`${name}-outside`, { ...from, pathNot: within }, { pathNot, ...loaded }))
  }
  return rules
}

function forbid(name, from, to) {
  return { name, severity: 'error', from, to }
}
