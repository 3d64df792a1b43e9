import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as server from '@mayfly/server'
import { CommandFailed } from '../src/exit.ts'
import { withServer } from '../src/operator.ts'
import { processTerminal } from '../src/terminal.ts'

it('a storage that fails during a command is no bug, and the command can be repeated', async () => {
  const messageOf = async (error: Error) => {
    const work = withServer(processTerminal(process), async () => {
      throw error
    })
    const failed = await work.catch((thrown: unknown) => thrown)
    assert.ok(failed instanceof CommandFailed)
    return failed.message
  }
  assert.equal(
    await messageOf(new server.StorageUnavailable(new Error('deadlock detected'), false)),
    'The storage is unavailable: deadlock detected. Run the command again.',
  )
  assert.equal(
    await messageOf(new server.StorageUnavailable(new Error('Connection terminated'), false, true)),
    'The storage is unavailable: Connection terminated. The change may have been made: check before you run the command again.',
  )
})
