import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { ownUrls } from '../file-urls.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const SERVER = join(ROOT, 'packages', 'server', 'src')
const CLI = join(ROOT, 'packages', 'cli', 'src')

/** Packages that a start does not need: they are loaded when they are first used. */
const ON_DEMAND = [
  'mailauth',
  'nodemailer',
  'nodemailer/lib/mail-composer',
  'openid-client',
  'pg',
  'prom-client',
  'tldts',
  'undici',
]

/** The same, as modules that export a function; each has a file of WebAssembly beside it. */
const CODECS = [
  '@jsquash/jpeg/codec/dec/mozjpeg_dec.js',
  '@jsquash/jpeg/codec/enc/mozjpeg_enc.js',
  '@jsquash/webp/codec/dec/webp_dec.js',
]

const THREADS = readdirSync(join(SERVER, 'threads'))
  .filter((file) => file.endsWith('-thread.ts'))
  .map((file) => basename(file, '.ts'))

/** Packages that others use when they are installed; here they are not. */
const ABSENT = ['pg-native']

type Entry = { readonly contents: string; readonly resolveDir: string }

/** Code that is loaded as a whole, by the id under which it is loaded. */
export const BUNDLES: Readonly<Record<string, Entry>> = {
  '@mayfly/cli': entry(CLI, "import { runProcess } from './process.ts'; void runProcess()"),
  '@mayfly/server': entry(
    SERVER,
    "export * from './index.ts'; export { serve } from './assembly/serve.ts'",
  ),
  // In place of main.ts, which turns the compile cache on: that is for code in files.
  '@mayfly/server/main': entry(
    SERVER,
    "import { serve } from '@mayfly/server'; void serve(process.argv.slice(2))",
  ),
  ...entries(THREADS, (name) => `import './threads/${name}.ts'`),
  ...entries(ON_DEMAND, (name) => `module.exports = require('${name}')`),
  ...entries(CODECS, (name) => `module.exports = require('${name}').default`),
}

function entry(resolveDir: string, contents: string): Entry {
  return { resolveDir, contents }
}

function entries(names: readonly string[], contents: (name: string) => string) {
  return Object.fromEntries(names.map((name) => [name, entry(SERVER, contents(name))]))
}

/** Bundles one entry: a function expression that gets `require`, `module` and `exports`. */
export async function bundle(
  id: string,
  source: Entry,
): Promise<{ readonly code: string; readonly metafile: Metafile }> {
  const { outputFiles, metafile, warnings } = await build({
    stdin: { ...source, loader: 'ts' },
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'esnext',
    supported: { 'dynamic-import': false },
    // Not identifiers: a stack trace names the functions of the source.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    banner: { js: '(function (require, module, exports) {' },
    footer: { js: '})' },
    plugins: [otherBundles(id), repositoryUrls, codecUrls],
    logLevel: 'silent',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error('esbuild wrote nothing')
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'))
  return { code: output.text, metafile }
}

/**
 * The other bundles are loaded by `require` of the executable. Not by esbuild's option `external`:
 * it takes a package for all of its files.
 */
function otherBundles(id: string): Plugin {
  const names = new Set([...Object.keys(BUNDLES).filter((other) => other !== id), ...ABSENT])
  return {
    name: 'other-bundles',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
        names.has(path) ? { path, external: true } : undefined,
      )
    },
  }
}

/** The codecs find their WebAssembly by their URL, unless they are given it. */
const codecUrls: Plugin = {
  name: 'codec-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@jsquash\/.*\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'js', contents: source.replaceAll('import.meta', "({ url: 'file:///' })") }
    })
  },
}

/**
 * A file's URL is its path in the repository, from the root on, with the extension of built code.
 * Files of ours are found by it (bundled-files.ts).
 */
const repositoryUrls = ownUrls({
  source: (path) => `'file:///${relative(ROOT, path).replace(/ts$/, 'js')}'`,
  bundle: "'file:///'",
})
