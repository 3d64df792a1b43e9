import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { BUNDLES, bundle, PACKAGE_FILES } from './bundles.ts'
import { writeCodeCaches } from './code-caches.ts'
import { licensesOf } from './licenses.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/**
 * Builds the executable: the running Node with the server, its threads, the dashboard and the
 * command line inside it. The licences of what is in it are written beside it.
 *
 * For another kind of machine, `node` is the same version of Node for it.
 */
export async function buildExecutable(output: string, node = process.execPath): Promise<void> {
  const stage = await mkdtemp(join(tmpdir(), 'mayfly-executable-'))
  try {
    const [bundles] = await Promise.all([stageBundles(stage), stageFiles(stage)])
    // Code compiled for one kind of machine may crash another.
    if (node === process.execPath) await writeCodeCaches(stage)
    const boot = join(stage, 'boot.js')
    await buildBoot(boot)
    const assets = await filesBelow(stage)
    const config = {
      main: boot,
      executable: await strip(node, join(stage, 'node')),
      output,
      disableExperimentalSEAWarning: true,
      assets: Object.fromEntries(assets.map((file) => [`/${file}`, join(stage, file)])),
    }
    const configFile = join(stage, 'sea.json')
    await writeFile(configFile, JSON.stringify(config))
    await mkdir(dirname(output), { recursive: true })
    await promisify(execFile)(process.execPath, ['--build-sea', configFile])
    await chmod(output, 0o755)
    await writeFile(`${output}.licenses.txt`, licensesOf(bundles))
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Copies Node without its debugging symbols, a fifth of its size. */
async function strip(node: string, copy: string): Promise<string> {
  try {
    await promisify(execFile)('strip', ['-o', copy, node])
    return copy
  } catch (error) {
    // Without binutils, or with those of another architecture, the executable is larger.
    console.warn(`debugging symbols are kept: ${String(error)}`)
    return node
  }
}

async function stageBundles(stage: string): Promise<readonly Metafile[]> {
  return Promise.all(
    Object.entries(BUNDLES).map(async ([id, entry]) => {
      const path = join(stage, 'bundles', `${id}.js`)
      await mkdir(dirname(path), { recursive: true })
      const { code, metafile } = await bundle(id, entry)
      await writeFile(path, code)
      return metafile
    }),
  )
}

/** What the program reads at run time beside its code, under the paths of the repository. */
async function stageFiles(stage: string): Promise<void> {
  const packages = join(ROOT, 'packages')
  const dashboard = join(packages, 'dashboard', 'dist')
  // `tools/setup.mjs` has built it; whoever skipped that has none yet.
  if (!existsSync(join(dashboard, 'index.html'))) {
    await promisify(execFile)(process.execPath, [join(packages, 'dashboard', 'build.ts')])
  }
  const source = join(packages, 'server', 'src')
  const docs = join(ROOT, 'docs')
  const files = [
    join(packages, 'cli', 'package.json'),
    join(packages, 'server', 'package.json'),
    ...(await filesBelow(source)).map((file) => join(source, file)),
    ...(await filesBelow(dashboard)).map((file) => join(dashboard, file)),
    ...(await readdir(docs))
      .filter((name) => /\.(md|json)$/.test(name))
      .map((name) => join(docs, name)),
  ]
  for (const file of files.filter((name) => !['.ts', '.stamp'].includes(extname(name)))) {
    const copy = join(stage, relative(ROOT, file))
    await mkdir(dirname(copy), { recursive: true })
    await cp(file, copy)
  }
  const { resolve } = createRequire(join(source, 'main.ts'))
  for (const name of PACKAGE_FILES) await cp(resolve(name), join(stage, 'node_modules', name))
}

async function buildBoot(outfile: string): Promise<void> {
  const entry = join(ROOT, 'packages', 'cli', 'src', 'executable.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs' })
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
