import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canRunServer } from './server-node.ts'

/** The part of `process` on which the program to start depends. */
type Host = Pick<NodeJS.Process, 'env' | 'execPath' | 'versions'>

/**
 * The program to start: the given one, this package, or on a Node that cannot run this package the
 * executable `mayfly` on the path.
 */
export function commandOf(
  { executable }: { readonly executable?: string },
  { env, execPath, versions }: Host,
): [string, ...string[]] {
  const given = executable ?? (env['MAYFLY_EXECUTABLE'] || null)
  const found = given ?? (canRunServer(versions.node) ? null : executableOn(env['PATH'] ?? ''))
  if (found !== null) return [found]
  return [execPath, fileURLToPath(new URL('../bin/mayfly.js', import.meta.url))]
}

function executableOn(path: string): string | null {
  // npm links the command of this package there too.
  const folders = path
    .split(delimiter)
    .filter((folder) => !/(?:^|[/\\])node_modules[/\\]/.test(folder))
  return folders.map((folder) => join(folder, 'mayfly')).find((file) => existsSync(file)) ?? null
}
