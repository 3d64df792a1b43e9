/** Characters that a typing error may put into a local part. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789._-'

/** Longest local part that is varied: the number of variants grows with the length. */
const LOCAL_PART_LENGTH_MAX = 40

/**
 * Every address that one typing error turns into this one: a character missing, doubled, added,
 * replaced or swapped with its neighbour, or another of our domains behind the same local part.
 */
export function similarAddresses(address: string, ourDomains: readonly string[]): string[] {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  const found = new Set(ourDomains.map((other) => `${local}@${other}`))
  if (local.length > 0 && local.length <= LOCAL_PART_LENGTH_MAX) {
    for (const variant of variants(local)) found.add(`${variant}@${domain}`)
  }
  found.delete(address)
  return [...found]
}

function* variants(local: string): Iterable<string> {
  for (let i = 0; i <= local.length; i++) {
    const before = local.slice(0, i)
    const after = local.slice(i)
    if (after !== '') yield before + after.slice(1)
    if (after.length > 1) yield before + after.charAt(1) + after.charAt(0) + after.slice(2)
    for (const letter of ALPHABET) {
      yield before + letter + after
      if (after !== '') yield before + letter + after.slice(1)
    }
  }
}
