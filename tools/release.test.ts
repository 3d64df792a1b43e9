import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkVersions } from './release/versions.ts'

const ROOT = join(import.meta.dirname, '..')

/** One file of each kind that names the version. */
const FILES = [
  'package.json',
  'CHANGELOG.md',
  'Dockerfile',
  'packages/cli/package.json',
  'clients/python/mayfly/pyproject.toml',
  'deploy/kubernetes/mayfly.yaml',
  'deploy/ci/github-actions.yml',
  'deploy/ci/gitlab-ci.yml',
]

describe('the version of a release', () => {
  it('is the same everywhere', () => {
    assert.deepEqual(checkVersions(ROOT).problems, [])
  })

  it('is found to differ in any place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-versions-'))
    try {
      for (const file of FILES) await cp(join(ROOT, file), join(folder, file))
      const manifest = await readFile(join(folder, 'package.json'), 'utf8')
      const { version } = checkVersions(folder)
      await writeFile(join(folder, 'package.json'), manifest.replace(version, '9.8.7'))
      const { problems } = checkVersions(folder)
      for (const file of FILES.slice(1)) {
        assert.ok(
          problems.some((problem) => problem.startsWith(file)),
          `${file} in ${problems}`,
        )
      }
      assert.ok(problems.some((problem) => problem.includes('"@mayfly/client"')))
      assert.ok(problems.some((problem) => problem.includes('mayfly/action@v')))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
