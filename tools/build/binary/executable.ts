import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { filesBelow, stageFiles } from '../program-files.ts'
import { BUNDLES, bundle } from './bundles.ts'
import { writeCodeCaches } from './code-caches.ts'
import { licensesOf } from './licenses.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** The licence of Node is a page of its repository. */
const NODE_LICENSE = `Node.js ${process.version}\nhttps://github.com/nodejs/node/blob/${process.version}/LICENSE\n`

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
    await writeFile(`${output}.licenses.txt`, licensesOf(bundles, [NODE_LICENSE]))
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

async function buildBoot(outfile: string): Promise<void> {
  const entry = join(ROOT, 'packages', 'cli', 'src', 'executable.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs' })
}
