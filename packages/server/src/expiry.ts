/** The expiry of an inbox that never expires: in an index it follows all others. */
export const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
