import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kept } from './build-cache.ts'
import { installTarballs, packPackages } from './pack.ts'
import { PUBLISHED, type Published, stagePackages } from './stage.ts'

/** A folder with a `node_modules` of packages as they are published, and their tarballs. */
export type Installed = { readonly nodeModules: string; tarballOf(name: Published): string }

/** What every package follows from. */
const COMMON = ['package-lock.json', 'tsconfig.json', 'LICENSE', 'tools/build/**']

/** Builds, packs and installs the client. Tests share the folder: they must not change it. */
export function installClient(): Promise<Installed> {
  return install('client', ['packages/client/{*,src/**}'], ['client'])
}

/** The same for every package that is published. */
export function installPackages(): Promise<Installed> {
  const sources = ['packages/*/{*,bin/**,src/**}', 'packages/dashboard/dist/**', 'docs/*.{md,json}']
  return install('packages', sources, PUBLISHED)
}

async function install(
  key: string,
  sources: readonly string[],
  names: readonly Published[],
): Promise<Installed> {
  const folder = await kept(key, [...COMMON, ...sources], (to) => packAndInstall(names, to))
  return {
    nodeModules: join(folder, 'node_modules'),
    tarballOf: (name) => join(folder, `${name}.tgz`),
  }
}

async function packAndInstall(names: readonly Published[], to: string): Promise<void> {
  const stage = join(to, 'stage')
  await mkdir(stage)
  await stagePackages(stage, names)
  const tarballs = await packPackages(stage, names, to)
  await rm(stage, { recursive: true })
  await writeFile(join(to, 'package.json'), '{ "private": true }')
  await installTarballs(tarballs, to)
  for (const [index, name] of names.entries()) {
    await rename(tarballs[index] ?? '', join(to, `${name}.tgz`))
  }
}
