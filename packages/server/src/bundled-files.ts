// The files of this program that are not code: pages, their scripts, manifests. Their paths are the
// same in the repository, beside a bundle and inside the executable.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getAsset, getAssetKeys, isSea } from 'node:sea'

/** The content of a file. */
export function readBundledFile(file: URL): Buffer {
  return isSea() ? Buffer.from(getAsset(file.pathname)) : readFileSync(file)
}

/** Whether there is such a file. */
export function hasOwnFile(file: URL): boolean {
  return isSea() ? getAssetKeys().includes(file.pathname) : existsSync(file)
}

/** The names of the files in a folder, whose URL ends in a slash; none when there is no folder. */
export function listOwnFiles(folder: URL): readonly string[] {
  if (!isSea()) return existsSync(folder) ? readdirSync(folder) : []
  return getAssetKeys()
    .filter((path) => path.startsWith(folder.pathname))
    .map((path) => path.slice(folder.pathname.length))
    .filter((name) => !name.includes('/'))
}

/** The content of a file of a package, by the name of the package and its path in it. */
export function readPackageFile(name: string): Buffer {
  // Copied by the build of a program that has its packages inside it.
  const copy = new URL(`../../../package-files/${name}`, import.meta.url)
  if (hasOwnFile(copy)) return readBundledFile(copy)
  return readFileSync(createRequire(import.meta.url).resolve(name))
}
