import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Makes a tarball of a package that is laid out below `stage`; gives its path. */
export async function packPackage(stage: string, folder: string): Promise<string> {
  const npm = process.env['npm_execpath']
  const [command, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const args = [...before, 'pack', join(stage, folder), '--pack-destination', stage, '--silent']
  const { stdout } = await promisify(execFile)(command, args, { cwd: stage })
  return join(stage, stdout.trim())
}
