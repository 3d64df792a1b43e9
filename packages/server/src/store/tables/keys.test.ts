import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountId, KeyId } from '@mayfly/contract'
import { ALICE, BOB, describeEachDatabase, NOW } from '../../../test/testing-store.ts'

const newKey = (accountId: AccountId, id: string, prefix: string) => ({
  id: id as KeyId, // A brand by hand: the test needs fixed ids.
  accountId,
  name: 'CI',
  environment: 'live' as const,
  role: 'member' as const,
  prefix,
  secretHash: Buffer.from(id),
  createdAt: NOW,
})

describeEachDatabase('keys', (open) => {
  it('are found by their prefixes, each with its own account', async () => {
    const { keys } = await open()
    await keys.add(newKey(ALICE, 'key_1', 'mf_live_a'))
    await keys.add(newKey(BOB, 'key_2', 'mf_live_b'))
    const found = await keys.listCredentials(['mf_live_b', 'mf_live_x', 'mf_live_a', 'mf_live_b'])
    assert.deepEqual(
      found.map((credentials) => credentials.map(({ keyId, accountId }) => [keyId, accountId])),
      [[['key_2', BOB]], [], [['key_1', ALICE]], [['key_2', BOB]]],
    )
    assert.deepEqual(await keys.findCredentials('mf_live_a'), found[2])
    assert.deepEqual(Buffer.from(found[2]?.[0]?.secretHash ?? []), Buffer.from('key_1'))
  })

  it('share a prefix in rare cases', async () => {
    const { keys } = await open()
    await keys.add(newKey(ALICE, 'key_1', 'mf_live_a'))
    await keys.add(newKey(BOB, 'key_2', 'mf_live_a'))
    const [both = []] = await keys.listCredentials(['mf_live_a'])
    assert.deepEqual(both.map(({ keyId }) => keyId).sort(), ['key_1', 'key_2'])
  })

  it('are not found once they are revoked', async () => {
    const { keys } = await open()
    await keys.add(newKey(ALICE, 'key_1', 'mf_live_a'))
    await keys.revoke(ALICE, 'key_1' as KeyId, NOW) // As above.
    assert.deepEqual(await keys.listCredentials(['mf_live_a']), [[]])
    assert.deepEqual(await keys.findCredentials('mf_live_a'), [])
  })
})
