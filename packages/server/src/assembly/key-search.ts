import type { AuthenticateDeps } from '../features/accounts/authenticate.ts'
import { createBatchedQuery } from '../platform/batched-query.ts'
import { UnchangedResults } from '../platform/unchanged-results.ts'
import type { Store } from '../store/open.ts'
import type { KeyCredential } from '../store/tables/keys.ts'

/** Keys whose credentials are remembered. */
const KEYS_MAX = 1_000

/**
 * Finds the keys of callers. On PostgreSQL those of requests that arrive together by one query:
 * its round trip takes more processor time than the rest of a small request. On SQLite they are
 * remembered as long as nothing in the database has changed, so that a key that was revoked, by
 * whatever process, is looked up again.
 */
export function createKeySearch(
  store: Pick<Store, 'isShared' | 'keys' | 'dataVersion'>,
  unchanged = new UnchangedResults(store.dataVersion),
): AuthenticateDeps {
  if (store.isShared) {
    return {
      findCredentials: createBatchedQuery((prefixes: readonly string[]) =>
        store.keys.listCredentials(prefixes),
      ),
    }
  }
  const known = unchanged.table<readonly KeyCredential[]>({
    entriesMax: KEYS_MAX,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 0,
  })
  return {
    findCredentials: (prefix) =>
      known.get(prefix, async () => {
        const result = await store.keys.findCredentials(prefix)
        // Unknown ones would take the places of those that are in use.
        return { result, lasts: result.length > 0 }
      }),
  }
}
