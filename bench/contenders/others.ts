// Other mail catchers, each built from one pinned version of its module.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../packages/server/test/testing-free-port.ts'
import { type Contender, startProgram } from './contender.ts'

/** A program in Go. */
type GoProgram = {
  readonly name: string
  /** The package of its main function. */
  readonly package: string
  /** What its go.mod requires. */
  readonly requires: readonly string[]
}

const MAILPIT: GoProgram = {
  name: 'Mailpit',
  package: 'github.com/axllent/mailpit',
  requires: ['github.com/axllent/mailpit v1.31.2'],
}

const INBUCKET: GoProgram = {
  name: 'Inbucket',
  package: 'github.com/inbucket/inbucket/v3/cmd/inbucket',
  requires: ['github.com/inbucket/inbucket/v3 v3.1.1'],
}

/** It has no go.mod of its own, so its dependencies are pinned here. */
const MAILHOG: GoProgram = {
  name: 'MailHog',
  package: 'github.com/mailhog/MailHog',
  requires: [
    'github.com/ian-kent/envconf v0.0.0-20141026121121-c19809918c02',
    'github.com/ian-kent/go-log v0.0.0-20160113211217-5731446c36ab',
    'github.com/ian-kent/goose v0.0.0-20141221090059-c3541ea826ad',
    'github.com/ian-kent/linkio v0.0.0-20170807205755-97566b872887',
    'github.com/mailhog/MailHog v1.0.1',
  ],
}

/** Mailpit with its SQLite file, which it does not sync before it answers. */
export async function startMailpit(): Promise<Contender> {
  const folder = storeFolder(MAILPIT)
  const [port, httpPort] = [await freePort(), await freePort()]
  return startProgram({
    name: `${versionOf(MAILPIT)}, SQLite, not synced`,
    command: build(MAILPIT),
    args: [
      ...['--smtp', `127.0.0.1:${port}`, '--listen', `127.0.0.1:${httpPort}`],
      // Without a bound on messages: it would delete the oldest while it is measured.
      ...['--database', join(folder, 'mailpit.db'), '--max', '0'],
      ...['--quiet', '--disable-version-check'],
    ],
    ...{ port, folder },
  })
}

/** Inbucket with its file store, which it does not sync before it answers. */
export async function startInbucket(): Promise<Contender> {
  const folder = storeFolder(INBUCKET)
  const port = await freePort()
  return startProgram({
    name: `${versionOf(INBUCKET)}, files, not synced`,
    command: build(INBUCKET),
    args: [],
    env: {
      INBUCKET_LOGLEVEL: 'error',
      INBUCKET_SMTP_ADDR: `127.0.0.1:${port}`,
      INBUCKET_POP3_ADDR: `127.0.0.1:${await freePort()}`,
      INBUCKET_WEB_ADDR: `127.0.0.1:${await freePort()}`,
      INBUCKET_STORAGE_TYPE: 'file',
      INBUCKET_STORAGE_PARAMS: `path:${folder}`,
    },
    ...{ port, folder },
  })
}

/** MailHog, which keeps mail in memory. */
export async function startMailHog(): Promise<Contender> {
  const port = await freePort()
  const http = `127.0.0.1:${await freePort()}`
  const binds = ['-smtp-bind-addr', `127.0.0.1:${port}`, '-api-bind-addr', http]
  return startProgram({
    name: `${versionOf(MAILHOG)}, memory`,
    command: build(MAILHOG),
    args: [...binds, '-ui-bind-addr', http],
    port,
  })
}

function versionOf({ name, requires }: GoProgram): string {
  return `${name} ${requires.at(-1)?.split(' v')[1]}`
}

function storeFolder({ name }: GoProgram): string {
  return mkdtempSync(join(tmpdir(), `mayfly-bench-${name}-store-`))
}

/** The path of the program; built the first time and kept between runs. */
function build(program: GoProgram): string {
  const folder = join(tmpdir(), `mayfly-bench-${versionOf(program).replace(' ', '-')}`)
  const path = join(folder, program.name)
  if (existsSync(path)) return path
  process.stderr.write(`building ${program.name}, about a minute the first time\n`)
  mkdirSync(folder, { recursive: true })
  const requires = program.requires.map((one) => `require ${one}\n`).join('')
  writeFileSync(join(folder, 'go.mod'), `module bench\n\ngo 1.26\n\n${requires}`)
  const args = ['build', '-mod=mod', '-modcacherw', '-o', path, program.package]
  const env = { ...process.env, GOPATH: join(folder, 'go') }
  execFileSync('go', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return path
}
