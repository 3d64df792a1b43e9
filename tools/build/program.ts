// Bundles the server for `npm start`, which takes two thirds of the time and of the memory then,
// and the command line, which starts in a third of the processor time.
//
//   node tools/build/program.ts   tools/setup.mjs runs it when the sources have changed

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleCommands } from './command-bundle.ts'
import { bundleServer } from './server-bundle.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const OUTPUT = join(ROOT, 'dist', 'program')

await rm(OUTPUT, { recursive: true, force: true })
const metafile = await bundleServer({
  outdir: OUTPUT,
  // They stay where they are in the repository.
  filesRoot: ROOT,
  entries: ['main.ts'],
  target: 'esnext',
  leavesPackages: true,
})
// `packages/cli/bin/mayfly.js` runs it while it is newer than the sources.
await bundleCommands({
  outdir: join(OUTPUT, 'cli'),
  entries: ['main.ts'],
  target: 'esnext',
  isPublished: false,
})
// What is in which file, for tests.
await writeFile(join(OUTPUT, 'meta.json'), JSON.stringify(metafile))
