import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Text files by their path from the root of the repository, with forward slashes. */
export type FileTree = ReadonlyMap<string, string>

/** What git tracks or would track: a file that a clone will not have must not make a check pass. */
export function readFileTree(root: string): FileTree {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const tree = new Map<string, string>()
  for (const path of listed.split('\0').sort()) {
    const text = path === '' ? null : readText(join(root, path))
    if (text !== null) tree.set(path, text)
  }
  return tree
}

/** Null for what is not a text file: binary, a link, or deleted since it was tracked. */
function readText(file: string): string | null {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null
  const bytes = readFileSync(file)
  return bytes.includes(0) ? null : bytes.toString('utf8')
}

/** Lines of a text without the empty one after its last line break. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
