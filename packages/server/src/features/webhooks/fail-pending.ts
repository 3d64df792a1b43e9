import type { WebhookId } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'

/** Deliveries that fail in one statement: about 5 ms of the API's thread on SQLite. */
const PIECE = 200

/**
 * Fails the pending deliveries of a webhook that was deleted or disabled.
 *
 * In pieces, and so not in a transaction. Deliveries that are still pending after a crash fail when
 * they are next claimed.
 */
export async function failPending(
  store: { readonly dispatches: Pick<Store['dispatches'], 'failPending'> },
  webhookId: WebhookId,
): Promise<void> {
  let failed: number
  do failed = await store.dispatches.failPending(webhookId, PIECE)
  while (failed > 0)
}
