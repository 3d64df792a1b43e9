import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program in Go, built from one pinned version of its module. */
export type GoProgram = {
  readonly name: string
  /** The package of its main function. */
  readonly package: string
  readonly goMod: string
}

/** The path of the program; built the first time and kept between runs. */
export function buildGoProgram(program: GoProgram): string {
  const folder = join(tmpdir(), `mayfly-bench-${program.name.toLowerCase()}`)
  const path = join(folder, program.name)
  if (existsSync(path)) return path
  process.stderr.write(`building ${program.name}, about a minute the first time\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'go.mod'), program.goMod)
  const args = ['build', '-mod=mod', '-modcacherw', '-o', path, program.package]
  const env = { ...process.env, GOPATH: join(folder, 'go') }
  execFileSync('go', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return path
}
