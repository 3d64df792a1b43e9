import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RunningCalls } from './running-calls.ts'

const CALL = { keyId: 'key_1', session: 'one', requestId: 3 }

it('stops the call that is named, and no other', () => {
  const running = new RunningCalls()
  const stopped: string[] = []
  const others = [
    { ...CALL, keyId: 'key_2' },
    { ...CALL, session: 'two' },
    { ...CALL, session: null },
    { ...CALL, requestId: '3' },
  ]
  using _one = running.add(CALL, () => stopped.push('meant'))
  using _all = new DisposableStack()
  for (const other of others) {
    _all.use(running.add(other, () => stopped.push(JSON.stringify(other))))
  }
  running.cancel(CALL)
  assert.deepEqual(stopped, ['meant'])
})

it('forgets a call that has ended, and never one of a client without a session', () => {
  const running = new RunningCalls()
  const stopped: string[] = []
  {
    using _call = running.add(CALL, () => stopped.push('ended'))
  }
  running.cancel(CALL)
  const nameless = { ...CALL, session: null }
  using _nameless = running.add(nameless, () => stopped.push('nameless'))
  running.cancel(nameless)
  assert.deepEqual(stopped, [])
})
