// Lays the packages out as they are published, one folder each below dist/.
//
//   npm run build   dist/client and dist/mayfly
//   npm run pack    the same, and a tarball of each in dist/

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packPackages } from './build/pack.ts'
import { PUBLISHED, stagePackages } from './build/stage.ts'

const DIST = join(import.meta.dirname, '..', 'dist')

const { values } = parseArgs({ options: { pack: { type: 'boolean' } } })
await stagePackages(DIST, PUBLISHED)
const built =
  values.pack === true
    ? await packPackages(DIST, PUBLISHED, DIST)
    : PUBLISHED.map((folder) => `dist/${folder}`)
console.log(built.join('\n'))
