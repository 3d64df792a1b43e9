import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { KeyId } from '@mayfly/contract'
import { ALICE, describeEachDatabase, NOW } from '../../test/testing-store.ts'
import type { Store } from '../store/open.ts'
import { createKeySearch } from './key-search.ts'

const KEY = 'key_1' as KeyId // A brand by hand: the test needs a fixed id.

describeEachDatabase('the search for keys', (open, database) => {
  it('asks again after each change, and for nothing twice in between on SQLite', async () => {
    const store = await open()
    const asked: string[] = []
    const { findCredentials } = createKeySearch({ ...store, keys: recorded(store, asked) })
    const find = async () => (await findCredentials('mf_live_a')).map(({ keyId }) => keyId)
    assert.deepEqual(await find(), [])
    assert.deepEqual(await find(), [])
    assert.equal(asked.length, 2, 'unknown keys are not remembered')
    const secret = { prefix: 'mf_live_a', secretHash: Buffer.from('1') }
    const about = { id: KEY, accountId: ALICE, name: 'CI', createdAt: NOW }
    await store.keys.add({ ...about, ...secret, environment: 'live', role: 'member' })

    asked.splice(0)
    for (let i = 0; i < 3; i++) assert.deepEqual(await find(), [KEY])
    assert.equal(asked.length, database === 'SQLite' ? 1 : 3)
    await store.keys.revoke(ALICE, KEY, NOW)
    assert.deepEqual(await find(), [])
  })
})

/** The keys of a store; what they are asked for is recorded. */
function recorded({ keys }: Store, asked: string[]): Store['keys'] {
  const recording = {
    findCredentials: (prefix: string) => {
      asked.push(prefix)
      return keys.findCredentials(prefix)
    },
    listCredentials: (prefixes: readonly string[]) => {
      asked.push(...prefixes)
      return keys.listCredentials(prefixes)
    },
  }
  // It asks for nothing else.
  return recording as Store['keys']
}
