// Lays the packages out as they are published: JavaScript with types, one folder each below dist/.
//
//   npm run build                  all of them
//   npm run build -- client        one, without what it needs
//   npm run pack                   all of them, and a tarball of each in dist/

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packPackage } from './build/pack.ts'
import { PUBLISHED } from './build/packages.ts'
import { stagePackages } from './build/stage.ts'

const DIST = join(import.meta.dirname, '..', 'dist')

const { values, positionals } = parseArgs({
  options: { pack: { type: 'boolean' } },
  allowPositionals: true,
})
await stagePackages(DIST, positionals)
for (const { folder } of PUBLISHED) {
  if (positionals.length > 0 && !positionals.includes(folder)) continue
  console.log(values.pack === true ? await packPackage(DIST, folder) : `dist/${folder}`)
}
