/** One request of a chain of redirects. */
export type Hop = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** All that another origin gets to see: neither credentials nor signatures are among these. */
const TRAVELLING_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
])

/**
 * The request that follows `hop` after this answer, or null when the answer is no redirect.
 *
 * 303 turns every method into GET, 301 and 302 do as browsers made usual, 307 and 308 repeat the
 * request. What was dropped on the way to another origin stays dropped on the way back.
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | null {
  if (!REDIRECTS.has(status) || location === undefined) return null

  const isRepeated = status === 307 || status === 308
  const url = URL.parse(location, hop.url)
  const isSameOrigin = url?.origin === new URL(hop.url).origin
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (isSameOrigin || TRAVELLING_HEADERS.has(name)) &&
      (isRepeated || !name.startsWith('content-')),
  )
  return {
    method: isRepeated ? hop.method : 'GET',
    // What does not parse is handed on as it is, to be refused like any other bad URL.
    url: url?.href ?? location,
    headers: Object.fromEntries(headers),
    body: isRepeated ? hop.body : null,
  }
}
