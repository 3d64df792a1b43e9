import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Makes a tarball in `to` of each package that is laid out below `stage`; gives their paths. */
export async function packPackages(
  stage: string,
  folders: readonly string[],
  to: string,
): Promise<readonly string[]> {
  const packages = folders.map((folder) => join(stage, folder))
  const stdout = await npm(['pack', ...packages, '--pack-destination', to, '--silent'], stage)
  return stdout
    .trim()
    .split('\n')
    .map((name) => join(to, name))
}

/** Installs tarballs into a folder, as a user does, but without a registry. */
export async function installTarballs(tarballs: readonly string[], folder: string): Promise<void> {
  const quiet = ['--offline', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
  await npm(['install', ...quiet, '--prefix', folder, ...tarballs], folder)
}

/** Runs npm, that of `npm test` where it was started so; gives what it prints. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const started = process.env['npm_execpath']
  const [command, before] = started === undefined ? ['npm', []] : [process.execPath, [started]]
  return (await promisify(execFile)(command, [...before, ...args], { cwd })).stdout
}
