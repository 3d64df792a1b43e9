// Builds the program as one executable, which needs no Node: dist/mayfly-linux-x64.
//
//   npm run build:binary

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buildExecutable } from './build/binary/executable.ts'

const name = `mayfly-${process.platform}-${process.arch}`
const output = join(import.meta.dirname, '..', 'dist', name)
await buildExecutable(output)
console.log(`dist/${name}, ${Math.round((await stat(output)).size / 1e6)} MB`)
