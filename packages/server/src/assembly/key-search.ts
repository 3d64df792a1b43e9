import type { AuthenticateDeps } from '../features/accounts/authenticate.ts'
import { createBatchedQuery } from '../platform/batched-query.ts'
import type { Store } from '../store/open.ts'

/**
 * Finds the keys of callers. On PostgreSQL those of requests that arrive together by one query:
 * its round trip takes more processor time than the rest of a small request.
 */
export function createKeySearch(store: Store): AuthenticateDeps {
  const findCredentials = store.isShared
    ? createBatchedQuery((prefixes: readonly string[]) => store.keys.listCredentials(prefixes))
    : (prefix: string) => store.keys.findCredentials(prefix)
  return { findCredentials }
}
