import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, freePort, startProgram } from './contender.ts'

/** Where the program is kept between runs. */
const FOLDER = join(tmpdir(), 'mayfly-bench-mailhog')

/** MailHog has no go.mod of its own, so its dependencies are pinned here. */
const GO_MOD = `module bench

go 1.21

require (
	github.com/ian-kent/envconf v0.0.0-20141026121121-c19809918c02
	github.com/ian-kent/go-log v0.0.0-20160113211217-5731446c36ab
	github.com/ian-kent/goose v0.0.0-20141221090059-c3541ea826ad
	github.com/ian-kent/linkio v0.0.0-20170807205755-97566b872887
	github.com/mailhog/MailHog v1.0.1
)
`

/** MailHog, which keeps mail in memory; built with Go the first time. */
export async function startMailHog(): Promise<Contender> {
  const command = build()
  const port = await freePort()
  const http = `127.0.0.1:${await freePort()}`
  const args = ['-smtp-bind-addr', `127.0.0.1:${port}`, '-api-bind-addr', http]
  return startProgram({ name: 'MailHog', command, args: [...args, '-ui-bind-addr', http], port })
}

function build(): string {
  const program = join(FOLDER, 'MailHog')
  if (existsSync(program)) return program
  process.stderr.write('building MailHog, about a minute the first time\n')
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'go.mod'), GO_MOD)
  const args = ['build', '-mod=mod', '-modcacherw', '-o', program, 'github.com/mailhog/MailHog']
  const env = { ...process.env, GOPATH: join(FOLDER, 'go') }
  execFileSync('go', args, { cwd: FOLDER, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return program
}
