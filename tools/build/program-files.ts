import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { sourceCommit } from './source-commit.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Files of packages that the program reads at run time: the codecs of images. */
const PACKAGE_FILES = [
  '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm',
  '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  '@jsquash/webp/codec/dec/webp_dec.wasm',
]

/**
 * Copies what the program reads at run time beside its code: to the paths that it has in the
 * repository, and files of packages to `package-files` (bundled-files.ts).
 */
export async function stageFiles(stage: string): Promise<void> {
  const packages = join(ROOT, 'packages')
  const dashboard = join(packages, 'dashboard', 'dist')
  // `tools/setup.mjs` has built it; whoever skipped that has none yet.
  if (!existsSync(join(dashboard, 'index.html'))) {
    await promisify(execFile)(process.execPath, [join(packages, 'dashboard', 'build.ts')])
  }
  const source = join(packages, 'server', 'src')
  const docs = join(ROOT, 'docs')
  const codes = join(packages, 'mail', 'src', 'codes')
  const files = [
    ...(await filesBelow(codes)).map((file) => join(codes, file)),
    ...(await filesBelow(source)).map((file) => join(source, file)),
    ...(await filesBelow(dashboard)).map((file) => join(dashboard, file)),
    ...(await readdir(docs))
      .filter((name) => /\.(md|json|txt)$/.test(name))
      .map((name) => join(docs, name)),
  ]
  for (const file of files.filter((name) => !['.ts', '.stamp'].includes(extname(name)))) {
    const copy = join(stage, relative(ROOT, file))
    await mkdir(dirname(copy), { recursive: true })
    await cp(file, copy)
  }
  for (const name of ['cli', 'server']) await stageVersion(join('packages', name), stage)
  const { resolve } = createRequire(join(source, 'main.ts'))
  for (const name of PACKAGE_FILES) await cp(resolve(name), join(stage, 'package-files', name))
}

/** Of a manifest, only the version is read; the commit is that of the build. */
async function stageVersion(folder: string, stage: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
  await mkdir(join(stage, folder), { recursive: true })
  await writeFile(
    join(stage, folder, 'package.json'),
    JSON.stringify({ version, commit: await sourceCommit() }),
  )
}

/** The files below a folder, by their paths in it. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
