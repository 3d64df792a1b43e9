// Bundles the server for `npm start`: each of its threads then loads a few files instead of a
// thousand modules, which takes two thirds of the time and of the memory.
//
//   node tools/build/program.ts   tools/setup.mjs runs it when the sources have changed

import { globSync } from 'node:fs'
import { rm } from 'node:fs/promises'
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

/** Packages that are loaded when they are first used stay packages: a start does not read them. */
const onDemand: Plugin = {
  name: 'on-demand',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !path.startsWith('@mayfly/') ? { external: true } : undefined,
    )
  },
}

await rm(OUTPUT, { recursive: true, force: true })
await build({
  entryPoints: [join(SERVER, 'main.ts'), ...globSync(join(SERVER, 'threads', '*-thread.ts'))],
  outdir: OUTPUT,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'esnext',
  // Others use it when it is installed; here it is not.
  external: ['pg-native'],
  banner: { js: REQUIRE },
  plugins: [sourceUrls, onDemand],
  logLevel: 'warning',
})
