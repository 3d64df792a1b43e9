import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../packages/server/test/testing-free-port.ts'
import { type Contender, startProgram } from './contender.ts'
import { buildGoProgram } from './go-program.ts'

const GO_MOD = `module bench

go 1.26

require github.com/inbucket/inbucket/v3 v3.1.1
`

/** Inbucket with its file store, which it does not sync before it answers. */
export async function startInbucket(): Promise<Contender> {
  const command = buildGoProgram({
    name: 'inbucket',
    package: 'github.com/inbucket/inbucket/v3/cmd/inbucket',
    goMod: GO_MOD,
  })
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-bench-inbucket-store-'))
  const port = await freePort()
  return startProgram({
    name: 'Inbucket 3.1.1, files, not synced',
    command,
    args: [],
    env: {
      INBUCKET_LOGLEVEL: 'error',
      INBUCKET_SMTP_ADDR: `127.0.0.1:${port}`,
      INBUCKET_POP3_ADDR: `127.0.0.1:${await freePort()}`,
      INBUCKET_WEB_ADDR: `127.0.0.1:${await freePort()}`,
      INBUCKET_STORAGE_TYPE: 'file',
      INBUCKET_STORAGE_PARAMS: `path:${folder}`,
    },
    port,
    folder,
  })
}
