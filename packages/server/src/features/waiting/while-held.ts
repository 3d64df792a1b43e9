import type { WaitBounds } from './look-until.ts'
import type { HeldKey, Subscriptions } from './subscriptions.ts'

/** What ends the work, besides the key. */
export type HeldBounds = Pick<WaitBounds, 'inboxId'> & { readonly gone: AbortSignal }

/**
 * Does work that takes long outside, such as fetching links. The signal that it gets fires when the
 * client is gone, and when its key is revoked or the service stops; then it throws the reason.
 */
export async function whileHeld<T>(
  { subscriptions, key }: { subscriptions: Subscriptions<string>; key: HeldKey },
  { inboxId, gone }: HeldBounds,
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
