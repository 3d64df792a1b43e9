import { commitWaiting } from '../../packages/server/src/features/receiving/commit.ts'
import type { Ids } from '../../packages/server/src/platform/ids.ts'
import type { Store } from '../../packages/server/src/store/open.ts'

/** Stores composed mails in one transaction; throws when one is not stored. */
export async function storeMails(
  store: Store,
  ids: Ids,
  mails: Parameters<typeof commitWaiting>[1],
): ReturnType<typeof commitWaiting> {
  const results = await commitWaiting(
    {
      store,
      newMessageId: () => ids.next('message'),
      newDiagnosticId: () => ids.next('diagnostic'),
      composeDeliveries: () => ({ deliveries: [], omissions: [] }),
      announce: () => undefined,
    },
    mails,
  )
  const failed = results.find(({ state }) => state !== 'stored')
  if (failed !== undefined) throw new Error(`a mail was not stored: ${failed.state}`)
  return results
}
