import type { Caller } from '../features/accounts/authenticate.ts'
import type { Answer, UnchangedResults } from '../platform/unchanged-results.ts'

/** Responses that are remembered, and their bytes together. */
const RESPONSES_MAX = 1_000
const BYTES_MAX = 4 * 1024 * 1024

/**
 * Remembers the JSON of responses that depend on nothing but the account, the URL and the database
 * (docs/decisions/remembered-responses.md).
 */
export function rememberResponses(unchanged: UnchangedResults) {
  const known = unchanged.table<Uint8Array>({
    entriesMax: RESPONSES_MAX,
    bytesMax: BYTES_MAX,
    bytesOf: (json) => json.byteLength,
  })
  // An id has no spaces.
  const keyOf = ({ accountId }: Caller, url: string) => `${accountId} ${url}`
  return {
    /**
     * The response as it was when the caller's key was found; null when it is not known. Only for
     * a caller that was found without waiting, and before anything else is looked at.
     */
    recall: (caller: Caller, url: string) => known.atLastLook(keyOf(caller, url)) ?? null,
    /** The response now. */
    get: (caller: Caller, url: string, write: () => Promise<Answer<Uint8Array>>) =>
      known.get(keyOf(caller, url), async () => {
        const { result, lasts } = await write()
        // Fastify would make a buffer of it each time.
        return { result: Buffer.from(result.buffer, result.byteOffset, result.byteLength), lasts }
      }),
  }
}
