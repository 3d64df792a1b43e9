// Checks that a release can be made, and leaves it in dist/release/.
//
//   npm run release:check
//
// Versions and the changelog agree; the packages for npm (on Node 20, 22 and 24) and Python and the
// executables are built, installed into empty folders, and take a mail to its code; the image runs;
// a bill of materials and checksums are beside them. Needs the registries of npm and PyPI, for what
// the packages depend on, buildah, and a commit without changes.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Artifacts,
  buildArtifacts,
  writeBillOfMaterials,
  writeChecksums,
} from './release/artifacts.ts'
import { smokeExecutable, smokeImage, smokeTarballs, smokeWheels } from './release/smoke.ts'
import { checkVersions } from './release/versions.ts'

const ROOT = join(import.meta.dirname, '..')
const RELEASE = join(ROOT, 'dist', 'release')

const { version, problems } = checkVersions(ROOT)
for (const problem of problems) console.error(`problem: ${problem}`)
if (problems.length > 0) process.exitCode = 1

const artifacts = await step('built', () => buildArtifacts(RELEASE))
for (const [what, smoke] of Object.entries({
  executable: smokeExecutable,
  tarballs: smokeTarballs,
  wheels: smokeWheels,
  image: smokeImage,
})) {
  await step(`${what} tried`, () => inEmptyFolder(smoke, artifacts))
}
await step('bill of materials', () => writeBillOfMaterials(RELEASE))
await step('checksums', () => writeChecksums(RELEASE))
console.log(`dist/release has ${version}${process.exitCode === 1 ? ', with problems' : ''}`)

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

async function inEmptyFolder(
  smoke: (artifacts: Artifacts, folder: string) => Promise<void>,
  built: Artifacts,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-release-'))
  try {
    await smoke(built, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
