/** How many characters of a key's own part are shown and looked up by. */
const SHOWN_LENGTH = 8

/** The part of an API key that is stored in the clear: `mf_live_` and eight characters. */
export function apiKeyPrefix(secret: string): string {
  const ownPart = secret.indexOf('_', 3) + 1
  return secret.slice(0, ownPart + SHOWN_LENGTH)
}
