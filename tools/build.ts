// Lays the packages out as they are published: JavaScript with types, below dist/.
//
//   npm run build                  all of them
//   npm run build -- client        one, and nothing that it needs

import { mkdir } from 'node:fs/promises'
import { PUBLISHED } from './build/packages.ts'
import { STAGE, stagePackage } from './build/stage.ts'

const only = process.argv.slice(2)
await mkdir(STAGE, { recursive: true })
for (const published of PUBLISHED) {
  if (only.length > 0 && !only.includes(published.folder)) continue
  await stagePackage(published)
  console.log(`dist/${published.folder}`)
}
