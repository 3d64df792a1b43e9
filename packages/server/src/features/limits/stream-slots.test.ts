import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Plan } from '@mayfly/contract'
import type { Caller } from '../accounts/authenticate.ts'
import { PLANS } from '../rules/plans.ts'
import { MemorySlots } from './slots.ts'
import { takeStreamSlot } from './stream-slots.ts'

it('an account without a limit of waits has 100 streams at a time, others their waits', async () => {
  const waits: Caller[] = []
  const deps = {
    takeWaitSlot: async (caller: Caller) => {
      waits.push(caller)
      return { [Symbol.asyncDispose]: async () => {} }
    },
    slots: new MemorySlots(),
    limitsOf: (plan: Plan) => PLANS[plan],
  }
  // A caller by hand: only the account and its plan are read.
  const caller = (accountId: string, plan: Plan) => ({ accountId, plan }) as Caller
  const unlimited = caller('acc_1', 'unlimited')
  const limited = caller('acc_2', 'key_only')
  const held = []
  for (let i = 0; i < 100; i++) held.push(await takeStreamSlot(deps, unlimited))
  await assert.rejects(takeStreamSlot(deps, unlimited), { code: 'concurrent_waits_exceeded' })
  await held[0]?.[Symbol.asyncDispose]()
  await takeStreamSlot(deps, unlimited)
  await takeStreamSlot(deps, limited)
  assert.deepEqual(waits, [limited])
})
