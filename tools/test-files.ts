// Which test files there are, which of them a change affects, and which run together.

import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const TEST_FILES = ['{tools,examples}/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts']

/** What no import leads to, because the tests use what is built of it. */
const BUILT = [['packages/dashboard/src/', 'packages/dashboard/test/']] as const

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

/** All test files, from the root of the repository. */
export function listTestFiles(): string[] {
  return globSync(TEST_FILES, { cwd: ROOT }).sort()
}

/** Of these test files those that import, directly or not, a file that differs from `revision`. */
export function affectedFiles(
  files: readonly string[],
  revision: string,
  root: string = ROOT,
): string[] {
  const program = join(ROOT, 'node_modules', '.bin', 'depcruise')
  const folders = ['packages', 'tools', 'bench', 'examples']
  const args = [...folders, '--affected', revision, '--output-type', 'json']
  const options = { cwd: root, maxBuffer: OUTPUT_BYTES_MAX }
  const { modules } = JSON.parse(execFileSync(program, args, options).toString())
  const reached: string[] = modules.map(({ source }: { source: string }) => source)
  const tests = BUILT.filter(([from]) => reached.some((file) => file.startsWith(from)))
  return files.filter(
    (file) => reached.includes(file) || tests.some(([, folder]) => file.startsWith(folder)),
  )
}

/** Test files in groups, each of which runs in one process, in the order in which they start. */
export function groupFiles(
  files: readonly string[],
  longBuilds: readonly string[],
): { readonly chaos: readonly string[]; readonly queue: (readonly string[])[] } {
  const chaos = files.filter((file) => file.startsWith('packages/server/test/chaos/'))
  const inPackages = difference(files, chaos).filter((file) => file.startsWith('packages/'))
  const outside = difference(files, [...chaos, ...inPackages])
  const builds = inGroups(
    outside.filter((file) => longBuilds.includes(file)),
    1,
  )
  const units = inPackages.filter((file) => file.includes('/src/'))
  // Those of the server first, which take longest: the other packages come before it by name.
  const services = inGroups(difference(inPackages, units), 16).reverse()
  // The short ones last, so that no core is idle at the end. Builds need a core each, services wait
  // much of the time.
  const queue = [
    ...services.flatMap((group, index) => [builds[index] ?? [], group]),
    ...builds.slice(services.length),
    ...inShrinkingGroups(units, 15),
    ...inGroups(difference(outside, longBuilds), 4),
  ].filter((group) => group.length > 0)
  return { chaos, queue }
}

function difference(files: readonly string[], others: readonly string[]): string[] {
  return files.filter((file) => !others.includes(file))
}

function inGroups(files: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, group) =>
    files.slice(group * size, (group + 1) * size),
  )
}

/** Each group has a third of the files that are left: the last ones end at about the same time. */
function inShrinkingGroups(files: readonly string[], sizeMin: number): string[][] {
  if (files.length === 0) return []
  const size = Math.max(sizeMin, Math.ceil(files.length / 3))
  return [files.slice(0, size), ...inShrinkingGroups(files.slice(size), sizeMin)]
}
