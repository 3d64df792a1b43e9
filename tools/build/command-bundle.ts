import { join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { ownUrls } from './file-urls.ts'
import { namedExports, onDemand, REQUIRE } from './server-bundle.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CLI = join(ROOT, 'packages', 'cli', 'src')

/** How the command line is bundled. */
export type CommandBundle = {
  readonly outdir: string
  /** Files of `packages/cli/src` that others load. */
  readonly entries: readonly string[]
  /** The Node that runs it, as esbuild names it. */
  readonly target: string
  /** Whether it is for a package; otherwise it uses the packages and files of the repository. */
  readonly isPublished: boolean
}

/** Bundles the command line without the server, which only the commands that need it load. */
export async function bundleCommands(bundle: CommandBundle): Promise<Metafile> {
  const { outdir, entries, target, isPublished } = bundle
  const sourceUrls = ownUrls({
    source: (path) => `new URL('${relative(outdir, path)}', import.meta.url).href`,
    bundle: 'import.meta.url',
  })
  const { metafile } = await build({
    entryPoints: entries.map((entry) => join(CLI, entry)),
    absWorkingDir: ROOT,
    outdir,
    metafile: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    lineLimit: 120,
    banner: { js: REQUIRE },
    plugins: isPublished ? [serverBeside, namedExports] : [sourceUrls, serverApart, onDemand],
    logLevel: 'warning',
  })
  return metafile
}

const SERVER = /^@mayfly\/server(\/main)?$/

/** In a package the server's bundle lies beside that of the command line. */
const serverBeside: Plugin = {
  name: 'server-beside',
  setup: ({ onResolve }) => {
    onResolve({ filter: SERVER }, ({ path }) => ({
      path: path.endsWith('main') ? './server/main.js' : './server/index.js',
      external: true,
    }))
  },
}

/** In the repository the server stays the package that the sources load. */
const serverApart: Plugin = {
  name: 'server-apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: SERVER }, () => ({ external: true }))
  },
}
