import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Makes a tarball in `to` of each package that is laid out below `stage`; gives their paths. */
export async function packPackages(
  stage: string,
  folders: readonly string[],
  to: string,
): Promise<readonly string[]> {
  const npm = process.env['npm_execpath']
  const [command, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const packages = folders.map((folder) => join(stage, folder))
  const args = [...before, 'pack', ...packages, '--pack-destination', to, '--silent']
  const { stdout } = await promisify(execFile)(command, args, { cwd: stage })
  return stdout
    .trim()
    .split('\n')
    .map((name) => join(to, name))
}
