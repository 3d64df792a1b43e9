/** A look-up failed: whether the record exists is unknown. */
export class DnsUnavailable extends Error {
  /** Such as ETIMEOUT or ESERVFAIL. */
  readonly code: string

  constructor(code: string) {
    super(`The name could not be looked up (${code})`)
    this.code = code
  }
}

/** Codes for a name or record that does not exist. */
const NOT_FOUND: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** The answers; an empty list when there are none. Throws DnsUnavailable if the look-up failed. */
export async function recordsOrNone<T>(answers: Promise<T[]>): Promise<T[]> {
  try {
    return await answers
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN'
    if (NOT_FOUND.has(code)) return []
    throw new DnsUnavailable(code)
  }
}
