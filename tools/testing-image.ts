// The image of the Dockerfile, built and started by buildah without a registry: its last stage as
// it is, on the executable that a test has built, and on this machine's C libraries.

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Where the last stage of the Dockerfile begins. */
const LAST_STAGE = /^FROM gcr\.io\/distroless\/cc-debian12:nonroot$/m

/** Whether images can be built here. */
export const hasBuildah = spawnSync('buildah', ['--version']).status === 0

/** A container of the image. */
export type TestContainer = {
  /** Runs the program of the image with these arguments, as its HEALTHCHECK does. */
  run(...args: readonly string[]): Promise<string>
  /** Starts it with the command of the image. */
  start(env: Readonly<Record<string, string>>): ChildProcess
  /** Deletes the container and its images. */
  dispose(): Promise<void>
}

/** Builds the image with this executable, in a folder, and makes a container of it. */
export async function buildImage(executable: string, folder: string): Promise<TestContainer> {
  const images = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')]
  const places = [...images, '--storage-driver', 'vfs']
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' }
  const buildah = async (...args: readonly string[]) =>
    (await execute('buildah', [...places, ...args], { env })).stdout.trim()
  const commit = async (image: string, files: readonly (readonly [from: string, to: string])[]) => {
    const container = await buildah('from', 'scratch')
    for (const [from, to] of files) await buildah('copy', container, from, to)
    await buildah('commit', container, image)
  }

  const empty = join(folder, 'empty')
  await mkdir(empty, { recursive: true })
  const libraries = await librariesOf(executable)
  const isAtomic = (path: string) => path.includes('libatomic')
  await commit('localhost/build', [
    [executable, '/mayfly'],
    [`${executable}.licenses.txt`, '/licenses.txt'],
    [empty, '/empty'],
    ...libraries.filter(isAtomic).map((path) => [path, '/libatomic.so.1'] as const),
  ])
  const others = libraries.filter((path) => !isAtomic(path))
  await commit(
    'localhost/base',
    others.map((path) => [path, path] as const),
  )
  const dockerfile = await readFile(join(import.meta.dirname, '..', 'Dockerfile'), 'utf8')
  const [, lastStage] = dockerfile.split(LAST_STAGE)
  if (lastStage === undefined) throw new Error('The Dockerfile has another last stage.')
  const file = join(folder, 'Dockerfile')
  await writeFile(file, `FROM localhost/build AS build\nFROM localhost/base${lastStage}`)
  const build = ['--pull-never', '--format', 'docker', '--tag', 'localhost/mayfly', '--file', file]
  await buildah('build', ...build, empty)

  const container = await buildah('from', '--pull-never', 'localhost/mayfly')
  const { Docker } = JSON.parse(await buildah('inspect', container))
  const { Entrypoint: entrypoint, Cmd: command } = Docker.config
  return {
    run: (...args) => buildah('run', container, '--', ...entrypoint, ...args),
    start: (settings) => {
      const given = Object.entries(settings).flatMap(([name, value]) => [
        '--env',
        `${name}=${value}`,
      ])
      return spawn(
        'buildah',
        [...places, 'run', ...given, container, '--', ...entrypoint, ...command],
        { env },
      )
    },
    dispose: async () => {
      await buildah('rm', '--all')
      await buildah('rmi', '--all', '--force')
    },
  }
}

/** The shared libraries of a program, and its loader. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await execute('ldd', [program])
  return [...stdout.matchAll(/(?<= )\/\S+|(?<=\t)\/\S+/g)].map(([path]) => path)
}
