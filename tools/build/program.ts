// Bundles the server for `npm start`: each of its threads then loads a few files instead of a
// thousand modules, which takes two thirds of the time and of the memory.
//
//   node tools/build/program.ts   tools/setup.mjs runs it when the sources have changed

import { globSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { ownUrls } from './own-urls.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SERVER = join(ROOT, 'packages', 'server', 'src')

/** All files lie side by side here: a source is found from each by the same way. */
const OUTPUT = join(ROOT, 'dist', 'program')

/** Packages that are CommonJS load Node's modules by it. The name is one that no module has. */
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module'
const require = createBundleRequire(import.meta.url)`

/** Files that the program reads at run time stay where they are in the repository. */
const sourceUrls = ownUrls({
  source: (path) => `new URL('${relative(OUTPUT, path)}', import.meta.url).href`,
  bundle: 'import.meta.url',
})

/** What Fastify requires within a function that a service does not call. */
const NOT_CALLED = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
]

/** Packages that are loaded when they are first used stay packages: a start does not read them. */
const onDemand: Plugin = {
  name: 'on-demand',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path }) => {
      const isOwn = path.startsWith('@mayfly/')
      const isExternal = (kind === 'dynamic-import' && !isOwn) || NOT_CALLED.includes(path)
      return isExternal ? { external: true } : undefined
    })
  },
}

/** zod has its messages in fifty languages, and the program uses one. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

await rm(OUTPUT, { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: [join(SERVER, 'main.ts'), ...globSync(join(SERVER, 'threads', '*-thread.ts'))],
  absWorkingDir: ROOT,
  outdir: OUTPUT,
  metafile: true,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'esnext',
  // Others use it when it is installed; here it is not.
  external: ['pg-native'],
  // Each thread keeps the text of its files, and twice its size when a comment is not in ASCII. Not
  // identifiers: a stack trace names the functions of the source.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  lineLimit: 120,
  banner: { js: REQUIRE },
  plugins: [sourceUrls, onDemand, oneLanguage],
  logLevel: 'warning',
})
// What is in which file, for tests.
await writeFile(join(OUTPUT, 'meta.json'), JSON.stringify(metafile))
