// Builds the dashboard into dist/: index.html, and assets/ with names that hold their hashes.
//
//   node packages/dashboard/build.ts

import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const ROOT = import.meta.dirname
const DIST = join(ROOT, 'dist')

/** Where the server has the files of dist/. */
const BASE_PATH = '/app'

/**
 * Files of the client that no page uses, by what they export here: a page does not wait for mail by
 * calls, has its key, and the compiler checks the options of its own calls. Of an inbox it calls
 * `diagnose` alone.
 */
const UNUSED: Readonly<Record<string, string>> = {
  inbox:
    'export class Inbox { constructor(record, { calls }) { Object.assign(this, record, { diagnose: calls.diagnose }) } }',
  'node/local-key': 'export let readLocalKey, findLocalKey',
  options: 'export let callOptions = (given = {}) => given, checkOptions = () => {}',
}

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup: ({ onLoad }) => {
    for (const [name, contents] of Object.entries(UNUSED)) {
      onLoad({ filter: new RegExp(`client.src.${name}\\.ts$`) }, () => ({ contents }))
    }
  },
}

await rm(DIST, { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: [join(ROOT, 'src', 'main.tsx'), join(ROOT, 'src', 'main.css')],
  outdir: join(DIST, 'assets'),
  entryNames: '[name]-[hash]',
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  // The first versions with light-dark() in CSS.
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  plugins: [withoutUnused],
  metafile: true,
})
const built = Object.keys(metafile.outputs).map((path) => basename(path))
const page = await readFile(join(ROOT, 'src', 'index.html'), 'utf8')
await writeFile(
  join(DIST, 'index.html'),
  page.replace('main.css', addressOf('.css')).replace('main.tsx', addressOf('.js')),
)

function addressOf(extension: string): string {
  const name = built.find((file) => file.endsWith(extension))
  if (name === undefined) throw new Error(`the build has no ${extension} file`)
  return `${BASE_PATH}/assets/${name}`
}
