import type { AuthenticateDeps } from '../features/accounts/authenticate.ts'
import { createBatching } from '../platform/batching.ts'
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/open.ts'

/**
 * Finds the keys of callers. On PostgreSQL those of requests that arrive together by one query: its
 * round trip takes more processor time than the rest of a small request.
 */
export function keySearch(
  { isShared, keys }: Pick<Store, 'isShared' | 'keys'>,
  clock: Clock,
  cell: string | null,
): AuthenticateDeps {
  if (!isShared) return { clock, cell, findCredentials: (prefix) => keys.findCredentials(prefix) }
  return {
    ...{ clock, cell },
    findCredentials: createBatching(
      (prefixes: readonly string[]) => keys.listCredentials(prefixes),
      // Each begins at once, so that one without a response delays only its own callers.
      { runsMax: Number.POSITIVE_INFINITY },
    ),
  }
}
