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

/** No page waits for mail by calls: a thirtieth of the program, and nothing would run it. */
const withoutWaiting: Plugin = {
  name: 'without-waiting',
  setup: ({ onLoad }) => {
    onLoad({ filter: /client.src.waiting\.ts$/ }, () => ({ contents: 'export let waitFor' }))
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
  plugins: [withoutWaiting],
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
