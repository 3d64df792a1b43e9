import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const run = promisify(execFile)

/** The pinned Node for another architecture of Linux, from the npm package, into `folder`. */
export async function fetchNode(arch: string, folder: string): Promise<string> {
  const name = `node-linux-${arch}@${process.versions.node}`
  const { stdout } = await run('npm', ['pack', name, '--silent'], { cwd: folder })
  await run('tar', ['--extract', '--file', stdout.trim()], { cwd: folder })
  const node = join(folder, 'package', 'bin', 'node')
  const expected = JSON.parse(await readFile(join(ROOT, 'tools', 'node-sha256.json'), 'utf8'))
  const actual = createHash('sha256')
    .update(await readFile(node))
    .digest('hex')
  if (actual !== expected[`linux-${arch}`]) {
    throw new Error(`${name} has the SHA-256 ${actual}, not ${expected[`linux-${arch}`]}`)
  }
  return node
}
