/** A look-up failed: whether there is something is not known. */
export class DnsUnavailable extends Error {
  /** Such as ETIMEOUT or ESERVFAIL. */
  readonly code: string

  constructor(code: string) {
    super(`The name could not be looked up (${code})`)
    this.code = code
  }
}

/** Codes by which a name, or a record of it, is known not to exist. */
const NOTHING_THERE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** The answers; an empty list when there are none, DnsUnavailable when nobody could tell. */
export async function answersOrNone<T>(answers: Promise<T[]>): Promise<T[]> {
  try {
    return await answers
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN'
    if (NOTHING_THERE.has(code)) return []
    throw new DnsUnavailable(code)
  }
}
