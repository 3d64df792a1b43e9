// Tests outside the packages that take long, and what their results follow from. `npm test` skips
// those that were green on this machine with the same inputs; a new clone has no record.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hashOf } from './build/build-cache.ts'

/** All that is built and run: whatever is not named may be an input. */
const EVERYTHING = [
  'package*.json',
  'packages/*/{*,src/**,test/**,types/**}',
  'clients/**/*.{py,pyi,ini,json,md,toml,txt,typed}',
  'examples/**/*.{ts,mts,js,mjs,cjs,json,py,ini,toml,txt,yml}',
  'tools/**/*',
  'action/**',
  'docs/*',
  '*.md',
]

/** The inputs of each test, as globs from the root of the repository. */
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  'examples/examples.test.ts': EVERYTHING,
  'tools/binary.test.ts': EVERYTHING,
  'tools/fitted-codes.test.ts': [
    'bench/{codes/*,fit-codes.ts}',
    'packages/mail/{src,test}/**',
    'package*.json',
  ],
  'tools/packages.test.ts': EVERYTHING,
  'tools/python.test.ts': EVERYTHING,
}

const RECORD = join(import.meta.dirname, '..', 'node_modules', '.cache', 'green-builds.json')

/** The tests that take long. */
export const LONG_BUILDS: readonly string[] = Object.keys(INPUTS)

type Hashes = Readonly<Record<string, string>>

/** Those of these files that were green with the inputs that they have now. */
export async function listGreen(files: readonly string[], record = RECORD): Promise<string[]> {
  const known = readRecord(record)
  const now = await hashesOf(files)
  return files.filter((file) => now[file] !== undefined && known[file] === now[file])
}

/** What the inputs of these files are now: taken before they run. */
export async function hashesOf(files: readonly string[]): Promise<Hashes> {
  const hashes: Record<string, string> = {}
  const known = new Map<readonly string[], string>()
  for (const file of files) {
    const inputs = INPUTS[file]
    if (inputs === undefined) continue
    const hash = known.get(inputs) ?? (await hashOf(inputs))
    known.set(inputs, hash)
    hashes[file] = hash
  }
  return hashes
}

/** Records that tests were green with these inputs. */
export function recordGreen(hashes: Hashes, record = RECORD): void {
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, JSON.stringify({ ...readRecord(record), ...hashes }))
}

function readRecord(record: string): Hashes {
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}
}
