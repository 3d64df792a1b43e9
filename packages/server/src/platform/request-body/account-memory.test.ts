import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import { AccountMemory } from './account-memory.ts'

const ALICE = 'acc_alice' as AccountId // A brand by hand.
const BOB = 'acc_bob' as AccountId // As above.

describe('the memory of accounts', () => {
  it('is bounded for each and for all, and what is refused is not counted', () => {
    const memory = new AccountMemory({ bytesMax: 150, accountBytesMax: 100 }, 'Try again.')
    const refused = { code: 'content_unavailable', message: 'Try again.' }
    memory.add(ALICE, 80)
    assert.throws(() => memory.add(ALICE, 21), refused)
    memory.add(ALICE, 20)
    assert.throws(() => memory.add(BOB, 51), refused)
    memory.add(BOB, 50)
    memory.remove(ALICE, 80)
    memory.add(BOB, 50)
    memory.add(ALICE, 30)
    assert.throws(() => memory.add(ALICE, 1), refused)
  })
})
