import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as server from '@mayfly/server'
import { CommandFailed } from '../src/exit.ts'
import { withServer } from '../src/operator.ts'
import { processTerminal } from '../src/terminal.ts'

it('a storage that fails during a command is no bug, and the command can be repeated', async () => {
  const work = withServer(processTerminal(process), async () => {
    throw new server.StorageUnavailable(new Error('deadlock detected'), false)
  })
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof CommandFailed)
    assert.equal(
      error.message,
      'The storage is unavailable: deadlock detected. Run the command again.',
    )
    return true
  })
})
