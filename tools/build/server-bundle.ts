import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { ownUrls } from './file-urls.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SERVER = join(ROOT, 'packages', 'server', 'src')

/** Packages that are CommonJS load Node's modules by it. The name is one that no module has. */
export const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module'
const require = createBundleRequire(import.meta.url)`

/** What Fastify requires within a function that a service does not call. */
const NOT_CALLED = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
]

/** zod has its messages in fifty languages, and the program uses one. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

/** How the server is bundled. */
export type ServerBundle = {
  /** The folder of the bundle. */
  readonly outdir: string
  /** Where the files are that the program reads at run time, by their paths in the repository. */
  readonly filesRoot: string
  /** Files of `packages/server/src` that others load. */
  readonly entries: readonly string[]
  /** The Node that runs it, as esbuild names it. */
  readonly target: string
  /** Whether packages that are loaded when they are first used stay packages. */
  readonly leavesPackages: boolean
}

/** Bundles the server and its threads: each loads a few files instead of a thousand modules. */
export async function bundleServer(bundle: ServerBundle): Promise<Metafile> {
  const { outdir, filesRoot, entries, target, leavesPackages } = bundle
  // All files lie side by side: a source is found from each by the same way.
  const sourceUrls = ownUrls({
    source: (path) => {
      const place = relative(outdir, join(filesRoot, relative(ROOT, path)))
      return `new URL('${place}', import.meta.url).href`
    },
    bundle: 'import.meta.url',
  })
  const { metafile } = await build({
    entryPoints: [
      ...entries.map((entry) => join(SERVER, entry)),
      ...globSync(join(SERVER, 'threads', '*-thread.ts')),
    ],
    absWorkingDir: ROOT,
    outdir,
    metafile: true,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target,
    // Others use it when it is installed; here it is not.
    external: ['pg-native', ...NOT_CALLED],
    // Each thread keeps the text of its files, and twice its size when a comment is not in ASCII.
    // Not identifiers: a stack trace names the functions of the source.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    lineLimit: 120,
    banner: { js: REQUIRE },
    plugins: [sourceUrls, oneLanguage, leavesPackages ? onDemand : namedExports],
    logLevel: 'warning',
  })
  return metafile
}

/** A start does not read packages that are loaded when they are first used. */
export const onDemand: Plugin = {
  name: 'on-demand',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !path.startsWith('@mayfly/') ? { external: true } : undefined,
    )
  },
}

/**
 * A CommonJS package that is loaded by `import()` has the names that Node gives it. Without this,
 * a bundle of it has only `default`.
 */
export const namedExports: Plugin = {
  name: 'named-exports',
  setup: ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /^[@a-z]/ }, async ({ kind, path, importer, resolveDir }) => {
      const isOwn = path.startsWith('@mayfly/') || path.startsWith('node:')
      if (kind !== 'dynamic-import' || isOwn || importer.includes('node_modules')) return undefined
      const found = await resolve(path, { kind: 'import-statement', importer, resolveDir })
      return found.errors.length > 0 ? found : { path: found.path, namespace: 'named-exports' }
    })
    onLoad({ filter: /./, namespace: 'named-exports' }, async ({ path }) => {
      const names = Object.keys(await import(pathToFileURL(path).href))
      const identifiers = names.filter((name) => /^\w+$/.test(name))
      return {
        contents: `export { ${identifiers.join(', ')} } from ${JSON.stringify(path)}`,
        resolveDir: ROOT,
      }
    })
  },
}
