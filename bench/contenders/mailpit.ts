import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../packages/server/test/testing-free-port.ts'
import { type Contender, startProgram } from './contender.ts'
import { buildGoProgram } from './go-program.ts'

const GO_MOD = `module bench

go 1.26

require github.com/axllent/mailpit v1.30.5
`

/** How it is built. */
export const MAILPIT = {
  name: 'mailpit',
  package: 'github.com/axllent/mailpit',
  goMod: GO_MOD,
} as const

/** Mailpit with its SQLite file, which it does not sync before it answers. */
export async function startMailpit(): Promise<Contender> {
  const command = buildGoProgram(MAILPIT)
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-bench-mailpit-store-'))
  const port = await freePort()
  const args = ['--smtp', `127.0.0.1:${port}`, '--listen', `127.0.0.1:${await freePort()}`]
  // Without a bound on messages: it would delete the oldest while it is measured.
  const store = ['--database', join(folder, 'mailpit.db'), '--max', '0', '--quiet']
  return startProgram({
    name: 'Mailpit 1.30.5, SQLite, not synced',
    command,
    args: [...args, ...store, '--disable-version-check'],
    port,
    folder,
  })
}
