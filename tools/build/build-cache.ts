import { createHash } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = join(ROOT, 'node_modules', '.cache')

/**
 * The folder with what `build` makes of the files that `sources` names, globs from the root of the
 * repository. It is built once: the next call finds it, also in another process, until one of these
 * files changes.
 */
export async function kept(
  name: string,
  sources: readonly string[],
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const place = join(CACHE, 'built', name)
  const folder = join(place, await hashOf(sources))
  if (existsSync(folder)) return folder
  await mkdir(place, { recursive: true })
  const others = await readdir(place)
  const unfinished = await mkdtemp(join(place, 'unfinished-'))
  try {
    await build(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true })
    // Another process may have been first, with the same result.
    if (!existsSync(folder)) throw error
  }
  const old = others.filter((other) => !other.startsWith('unfinished-'))
  for (const other of old) await rm(join(place, other), { recursive: true, force: true })
  return folder
}

/** A hash of the files that globs from the root of the repository name. */
export async function hashOf(globs: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  for (const file of globSync([...globs], { cwd: ROOT }).sort()) {
    const path = join(ROOT, file)
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(await readFile(path))
  }
  return hash.digest('hex').slice(0, 16)
}
