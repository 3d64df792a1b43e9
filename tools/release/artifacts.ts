import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildExecutable } from '../build/binary/executable.ts'
import { fetchNode } from '../build/binary/foreign-node.ts'
import { packPackages } from '../build/pack.ts'
import { PUBLISHED, stagePackages } from '../build/stage.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PYTHON = join(ROOT, 'node_modules', '.mayfly-python-client', 'bin', 'python')
const run = promisify(execFile)

/** What a release consists of: paths of files in one folder. */
export type Artifacts = {
  readonly tarballs: readonly string[]
  readonly wheels: readonly string[]
  /** The executable of this machine with the licences beside it, packed; and that of another. */
  readonly executables: readonly [own: string, ...others: string[]]
}

/** Builds everything that is released into an empty folder. */
export async function buildArtifacts(folder: string): Promise<Artifacts> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const other = process.arch === 'x64' ? 'arm64' : 'x64'
  const executables = [
    await packExecutable(folder, process.arch),
    await packExecutable(folder, other),
  ] as const
  const tarballs = await packAll(folder)
  for (const name of ['mayfly', 'pytest-mayfly']) {
    const cwd = join(ROOT, 'clients', 'python', name)
    await run(PYTHON, ['-m', 'hatchling', 'build', '-d', folder], { cwd })
  }
  const wheels = (await readdir(folder))
    .filter((file) => file.endsWith('.whl'))
    .map((file) => join(folder, file))
  return { tarballs, wheels, executables }
}

/** A third of the size of the executable. */
async function packExecutable(folder: string, arch: string): Promise<string> {
  const name = `mayfly-${process.platform}-${arch}`
  const stage = join(folder, 'stage')
  const executable = join(stage, name, 'mayfly')
  await mkdir(join(stage, name), { recursive: true })
  if (arch === process.arch) await buildExecutable(executable)
  else await buildExecutable(executable, await fetchNode(arch, stage))
  await cp(join(ROOT, 'LICENSE'), join(stage, name, 'LICENSE'))
  const archive = join(folder, `${name}.tar.gz`)
  await run('tar', ['--create', '--gzip', '--file', archive, '--directory', stage, name])
  await rm(stage, { recursive: true })
  return archive
}

async function packAll(folder: string): Promise<readonly string[]> {
  const stage = join(folder, 'stage')
  await mkdir(stage)
  await stagePackages(stage, PUBLISHED)
  const tarballs = await packPackages(stage, PUBLISHED, folder)
  await rm(stage, { recursive: true })
  return tarballs
}

/** Writes the bill of materials (CycloneDX) of what is installed, or is in the executable. */
export async function writeBillOfMaterials(folder: string): Promise<void> {
  const args = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx']
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
  const bill = JSON.parse(stdout)
  if (bill.bomFormat !== 'CycloneDX' || bill.components.length === 0) {
    throw new Error('npm sbom wrote no bill of materials')
  }
  // npm takes the name of the folder.
  bill.metadata.component.name = 'mayfly'
  await writeFile(join(folder, 'mayfly.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
}

/** Writes SHA256SUMS of all files, as `sha256sum --check` reads it. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines: string[] = []
  for (const name of (await readdir(folder)).filter((file) => file !== 'SHA256SUMS').sort()) {
    const bytes = await readFile(join(folder, name))
    lines.push(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
  }
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''))
}
