import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..', '..')

/**
 * The commit that is built and its date, such as `1a2b3c4d5e6f, 2026-01-31`; null outside a clone.
 * Where the history is missing, as in the build of the image, `SOURCE_COMMIT` says it.
 *
 * The date is that of the commit and not of the build, so that a build can be repeated.
 */
export async function sourceCommit(): Promise<string | null> {
  const given = process.env['SOURCE_COMMIT']
  if (given !== undefined && given !== '') return given
  const git = async (...args: readonly string[]) =>
    (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim()
  try {
    // Not a tag: the version says that. `-dirty` when files differ from the commit.
    const commit = await git('describe', '--always', '--dirty', '--abbrev=12', '--exclude=*')
    return `${commit}, ${await git('log', '-1', '--format=%cs')}`
  } catch {
    return null
  }
}
