import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  cp,
  link,
  mkdir,
  mkdtemp,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const LAUNCHER = join(ROOT, 'packages', 'cli', 'bin', 'mayfly.js')
const run = promisify(execFile)

/** A Node to start the command with. */
type Runtime = {
  readonly name: string
  readonly node: string
  /** Whether it can replace its own process by another program. */
  readonly hasExecve: boolean
}

/** The Node of the machine, outside the repository; null where there is none. */
function systemNode(): Runtime | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const node = folders
    .filter((folder) => folder !== '' && !folder.startsWith(ROOT))
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file))
  if (node === undefined) return null
  const program = "process.stdout.write(process.version + ' ' + typeof process.execve)"
  const [version, execve] = execFileSync(node, ['-e', program], { encoding: 'utf8' }).split(' ')
  return { name: `the system's Node ${version}`, node, hasExecve: execve === 'function' }
}

describe('the command `mayfly`', () => {
  let folder = ''
  let command = ''
  let env: Readonly<Record<string, string>> = {}

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-launcher-'))
    const compileCache = process.env['NODE_COMPILE_CACHE']
    env = {
      HOME: folder,
      ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
    }
    // As npm links it into node_modules/.bin.
    command = join(folder, 'mayfly')
    await symlink(LAUNCHER, command)
    // The pinned Node under another path: to the launcher it is another Node.
    await mkdir(join(ROOT, '.cache'), { recursive: true })
    await link(process.execPath, join(ROOT, '.cache', `node-${process.pid}`))
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await rm(join(ROOT, '.cache', `node-${process.pid}`))
  })

  const system = systemNode()
  const runtimes: readonly Runtime[] = [
    { name: 'the pinned Node', node: process.execPath, hasExecve: true },
    {
      name: 'another Node with execve',
      node: join(ROOT, '.cache', `node-${process.pid}`),
      hasExecve: true,
    },
    ...(system === null ? [] : [system]),
  ]
  for (const { name, node, hasExecve } of runtimes) {
    it(`runs from any folder, started by ${name}`, async () => {
      const options = { cwd: folder, env }
      const { stdout, stderr } = await run(node, [command, '--version'], options)
      assert.equal(stdout, '0.1.0\n')
      assert.equal(stderr, '')
      await assert.rejects(run(node, [command, 'otp', '--nonsense'], options), {
        code: 2,
        stderr: 'mayfly: unknown option --nonsense. See `npx mayfly otp --help`.\n',
      })
    })

    for (const signal of hasExecve ? (['SIGTERM'] as const) : (['SIGTERM', 'SIGINT'] as const)) {
      it(`passes ${signal} on to the service, started by ${name}`, async () => {
        const child = spawn(node, [command, 'serve'], {
          cwd: folder,
          env: { ...env, MAYFLY_HTTP_PORT: '0', MAYFLY_SMTP_PORT: '0' },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const ended = once(child, 'exit')
        try {
          for await (const line of createInterface({ input: child.stdout })) {
            if (!line.includes('"msg":"ready"')) continue
            // The signal handlers are installed once requests are answered.
            await fetch(`${JSON.parse(line).httpUrl}/healthz`)
            break
          }
          const program = await readlink(`/proc/${child.pid}/exe`)
          assert.equal(program === process.execPath, hasExecve, `the process runs ${program}`)
        } finally {
          child.kill(signal)
        }
        assert.deepEqual(await ended, [0, null])
      })
    }
  }

  it('runs the bundle while no source is newer than it', async () => {
    const repository = await mkdtemp(join(folder, 'repository-'))
    const launcher = join(repository, 'packages', 'cli', 'bin', 'mayfly.js')
    const built = join(repository, 'dist', 'program')
    const [cli, client] = ['cli', 'client'].map((name) => join(repository, 'packages', name, 'src'))
    assert.ok(cli !== undefined && client !== undefined)
    const [main, other] = [join(cli, 'main.ts'), join(client, 'client.ts')]
    for (const place of [join(built, 'cli'), cli, client]) await mkdir(place, { recursive: true })
    await cp(LAUNCHER, launcher)
    await writeFile(join(repository, 'package.json'), '{ "type": "module" }')
    await writeFile(main, "process.stdout.write('sources')")
    await writeFile(other, '')
    await writeFile(join(built, 'cli', 'main.js'), "process.stdout.write('bundle')")
    const started = async () => (await run(process.execPath, [launcher])).stdout
    const [past, present] = [new Date(2026, 0, 1), new Date(2026, 0, 2)]
    for (const path of [main, other, cli, client]) await utimes(path, past, past)

    assert.equal(await started(), 'sources', 'there is no stamp yet')
    await writeFile(join(built, '.stamp'), '')
    await utimes(join(built, '.stamp'), present, present)
    assert.equal(await started(), 'bundle')
    await rm(other)
    assert.equal(await started(), 'sources', 'a source was deleted')
    await utimes(client, past, past)
    assert.equal(await started(), 'bundle')
    await utimes(main, present, present)
    assert.equal(await started(), 'sources', 'a source was written when the build began')
  })

  for (const [version, isRecent] of [
    ['18.20.0', false],
    ['20.2.9', false],
    ['20.3.0', true],
    ['22.0.0', true],
  ] as const) {
    it(`is published for the Node of its engines: ${version}`, async () => {
      const published = await mkdtemp(join(folder, 'published-'))
      const launcher = join(published, 'bin', 'mayfly.js')
      await cp(LAUNCHER, launcher)
      await mkdir(join(published, 'dist'))
      await writeFile(join(published, 'package.json'), '{ "type": "module" }')
      await writeFile(join(published, 'dist', 'main.js'), "process.stdout.write('started')")
      const versions = `{ ...process.versions, node: '${version}' }`
      const older = `Object.defineProperty(process, 'versions', { value: ${versions} })`
      const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, launcher]
      const started = run(process.execPath, args)
      if (isRecent) assert.equal((await started).stdout, 'started')
      else await assert.rejects(started, { code: 1, stderr: /Node 20\.3 or newer is required/ })
    })
  }
})
