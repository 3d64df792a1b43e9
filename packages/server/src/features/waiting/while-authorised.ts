import type { InboxId } from '@mayfly/contract'
import type { WaitBounds } from './poll-until.ts'
import type { Subscriptions, WaitKey } from './subscriptions.ts'

/** Ends the work, as the revocation of the key does. */
export type HeldBounds = Pick<WaitBounds, 'inboxId'> & {
  readonly gone: AbortSignal
  readonly key: WaitKey
}

/**
 * Runs long external work, such as fetching links. Its signal fires when the client disconnects,
 * its key is revoked or the service stops; then it throws the reason.
 */
export async function whileAuthorised<T>(
  { subscriptions }: { readonly subscriptions: Subscriptions<InboxId> },
  { inboxId, gone, key }: HeldBounds,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T> {
  const subscription = subscriptions.subscribe(inboxId, key)
  const done = new AbortController()
  const ended = new AbortController()
  const watch = async () => {
    // It also wakes when mail arrives.
    while (!done.signal.aborted) await subscription.next(done.signal)
  }
  const watching = watch().catch((reason: unknown) => ended.abort(reason))
  try {
    const result = await work(AbortSignal.any([gone, ended.signal]))
    subscription.throwIfEnded()
    return result
  } finally {
    done.abort()
    await watching
    subscription.close()
  }
}
