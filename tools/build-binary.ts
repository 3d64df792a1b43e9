// Builds the program as one executable, which needs no Node: dist/mayfly-linux-x64.
//
//   npm run build:binary
//   npm run build:binary -- --arch arm64   for another kind of machine; it starts more slowly

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildExecutable } from './build/binary/executable.ts'
import { fetchNode } from './build/binary/foreign-node.ts'

const { arch } = parseArgs({ options: { arch: { type: 'string', default: process.arch } } }).values
const name = `mayfly-${process.platform}-${arch}`
const output = join(import.meta.dirname, '..', 'dist', name)
const folder = await mkdtemp(join(tmpdir(), 'mayfly-node-'))
try {
  if (arch === process.arch) await buildExecutable(output)
  else await buildExecutable(output, await fetchNode(arch, folder))
} finally {
  await rm(folder, { recursive: true })
}
console.log(`dist/${name}, ${Math.round((await stat(output)).size / 1e6)} MB`)
