import type { AccountId } from '@mayfly/contract'
import type { OutboundRequest, OutboundResult } from '../../platform/outbound/http-client.ts'

export type FetchFilesDeps = {
  /** Makes a request of an account to another server. */
  readonly outboundRequest: (owner: AccountId, request: OutboundRequest) => Promise<OutboundResult>
}

/** Files that one call may name, and their size. */
const FILES_MAX = 20
const FILE_BYTES_MAX = 25 * 1024 * 1024
const ALL_BYTES_MAX = 40 * 1024 * 1024

const TIMEOUT_MS = 10_000
const REDIRECTS_MAX = 3

/** Files that a call of a provider's API names by URL; null for one that cannot be fetched. */
export async function fetchFiles(
  { outboundRequest }: FetchFilesDeps,
  owner: AccountId,
  { urls, signal }: { readonly urls: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly { readonly url: string; readonly bytes: Uint8Array | null }[]> {
  const files: { url: string; bytes: Uint8Array | null }[] = []
  let bytesLeft = ALL_BYTES_MAX
  // One by one: together they may have only so many bytes.
  for (const [i, url] of urls.entries()) {
    const isAllowed = i < FILES_MAX && URL.canParse(url)
    const bodyBytesMax = Math.min(bytesLeft, FILE_BYTES_MAX)
    const fetched = isAllowed
      ? await outboundRequest(owner, {
          ...{ method: 'GET', url, timeoutMs: TIMEOUT_MS, redirectsMax: REDIRECTS_MAX, signal },
          headers: { 'user-agent': 'Mayfly (attachment)', accept: '*/*' },
          bodyBytesMax,
        })
      : null
    const bytes = fetched === null ? null : bytesOf(fetched)
    bytesLeft -= bytes?.length ?? 0
    files.push({ url, bytes })
  }
  return files
}

function bytesOf(result: OutboundResult): Uint8Array | null {
  if (result.state !== 'responded' || result.status < 200 || result.status > 299) return null
  // Not a Buffer, which JSON would write out.
  return result.isTruncated ? null : new Uint8Array(result.body)
}
