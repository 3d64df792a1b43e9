import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { affectedFiles, groupFiles, listTestFiles } from './test-files.ts'

it('puts every test file into one group', () => {
  const files = listTestFiles()
  const { chaos, queue } = groupFiles(files, ['tools/binary.test.ts'])
  assert.deepEqual([...chaos, ...queue.flat()].sort(), files)
  assert.deepEqual(
    queue.filter((group) => group.includes('tools/binary.test.ts')),
    [['tools/binary.test.ts']],
  )
})

it('finds the tests that import what has changed, and those of what is built of it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-affected-'))
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder.path, file)), { recursive: true })
    await writeFile(join(folder.path, file), text)
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: folder.path,
    })
  for (const place of ['tools', 'bench', 'examples']) await write(`${place}/empty.js`, '')
  const tests = ['packages/a/src/direct.test.js', 'packages/a/test/indirect.test.js']
  const page = 'packages/dashboard/test/page.test.js'
  const other = 'packages/a/src/other.test.js'
  await write('packages/a/src/deep.js', 'export const deep = 1\n')
  await write('packages/a/src/middle.js', "export { deep } from './deep.js'\n")
  await write('packages/dashboard/src/main.js', '')
  await write(tests[0] ?? '', "import './deep.js'\n")
  await write(tests[1] ?? '', "import '../src/middle.js'\n")
  await write(page, '')
  await write(other, '')
  await write('package.json', '{ "type": "module" }')
  await write('.dependency-cruiser.mjs', 'export default { options: {} }')
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  const all = [...tests, page, other]
  assert.deepEqual(affectedFiles(all, 'HEAD', folder.path), [])
  await write('packages/a/src/deep.js', 'export const deep = 2\n')
  assert.deepEqual(affectedFiles(all, 'HEAD', folder.path), tests)
  await write('packages/dashboard/src/main.js', 'export {}\n')
  assert.deepEqual(affectedFiles(all, 'HEAD', folder.path), [...tests, page])
})
