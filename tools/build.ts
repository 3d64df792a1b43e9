// Lays the packages out as they are published: JavaScript with types, one folder each below dist/.
//
//   npm run build                  all of them
//   npm run build -- client        one, without what it needs
//   npm run pack                   all of them, and a tarball of each in dist/

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packPackages } from './build/pack.ts'
import { PUBLISHED } from './build/packages.ts'
import { stagePackages } from './build/stage.ts'

const DIST = join(import.meta.dirname, '..', 'dist')

const { values, positionals } = parseArgs({
  options: { pack: { type: 'boolean' } },
  allowPositionals: true,
})
await stagePackages(DIST, positionals)
const folders = PUBLISHED.map(({ folder }) => folder).filter(
  (folder) => positionals.length === 0 || positionals.includes(folder),
)
const built =
  values.pack === true
    ? await packPackages(DIST, folders, DIST)
    : folders.map((folder) => `dist/${folder}`)
console.log(built.join('\n'))
