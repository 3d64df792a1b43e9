import { freePort } from '../../packages/server/test/testing-free-port.ts'
import { type Contender, startProgram } from './contender.ts'
import { buildGoProgram } from './go-program.ts'

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

/** MailHog, which keeps mail in memory. */
export async function startMailHog(): Promise<Contender> {
  const command = buildGoProgram({
    name: 'MailHog',
    package: 'github.com/mailhog/MailHog',
    goMod: GO_MOD,
  })
  const port = await freePort()
  const http = `127.0.0.1:${await freePort()}`
  const args = ['-smtp-bind-addr', `127.0.0.1:${port}`, '-api-bind-addr', http]
  return startProgram({
    name: 'MailHog 1.0.1, memory',
    command,
    args: [...args, '-ui-bind-addr', http],
    port,
  })
}
