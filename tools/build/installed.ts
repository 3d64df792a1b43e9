import { execFile } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kept } from './kept.ts'
import { packPackages } from './pack.ts'
import { PUBLISHED } from './packages.ts'
import { stagePackages } from './stage.ts'

/** A folder with a `node_modules` of packages as they are published, and their tarballs. */
export type Installed = { readonly nodeModules: string; tarballOf(name: string): string }

/** What every package follows from. */
const COMMON = ['package-lock.json', 'tsconfig.json', 'LICENSE', 'README.md', 'tools/build/**']

/** Builds, packs and unpacks the client. Tests share the folder: they must not change it. */
export function installClient(): Promise<Installed> {
  return install('client', ['packages/client/{*,src/**}'], ['client'])
}

/** The same for every package that is published. */
export function installPackages(): Promise<Installed> {
  const sources = ['packages/*/{*,bin/**,src/**}', 'packages/dashboard/dist/**', 'docs/*.{md,json}']
  const names = PUBLISHED.map(({ folder }) => folder)
  return install('packages', sources, names)
}

async function install(
  key: string,
  sources: readonly string[],
  names: readonly string[],
): Promise<Installed> {
  const folder = await kept(key, [...COMMON, ...sources], (to) => packAndUnpack(names, to))
  return {
    nodeModules: join(folder, 'node_modules'),
    tarballOf: (name) => join(folder, `${name}.tgz`),
  }
}

async function packAndUnpack(names: readonly string[], to: string): Promise<void> {
  const stage = join(to, 'stage')
  await mkdir(stage)
  await stagePackages(stage, names)
  const tarballs = await packPackages(stage, names, to)
  for (const [index, tarball] of tarballs.entries()) {
    const name = names[index] ?? ''
    const unpacked = join(to, 'node_modules', '@mayfly', name)
    await mkdir(unpacked, { recursive: true })
    const args = ['-xzf', tarball, '-C', unpacked, '--strip-components=1']
    await promisify(execFile)('tar', args)
    await rename(tarball, join(to, `${name}.tgz`))
  }
  await rm(stage, { recursive: true })
}
