/** Characters that become one space in a tag, as in Mailpit. */
const NOT_IN_TAG = /[^a-zA-Z0-9._@-]+/g

/** Tags of one message, and characters of a tag. */
const TAGS_MAX = 100
const TAG_LENGTH_MAX = 100

/** Tags read from headers: a mail of 256 KiB may have 250,000, and sorting them takes long. */
const READ_MAX = 1_000

/** The tags of a mail: those of its X-Tags headers, and the text after a plus in its addresses. */
export function tagsOf(
  headers: readonly { readonly name: string; readonly value: string }[],
  /** Of its recipients, and of its sender. */
  addresses: readonly string[],
): readonly string[] {
  const ofHeaders = headers
    .filter(({ name }) => name.toLowerCase() === 'x-tags')
    .flatMap(({ value }) => value.split(',', READ_MAX))
    .slice(0, READ_MAX)
  const ofAddresses = addresses.flatMap((address) => {
    const local = address.slice(0, address.lastIndexOf('@'))
    return local.split('+').slice(1)
  })
  return cleanTags([...ofHeaders, ...ofAddresses])
}

/** Tags in a form that can be stored, each once, in order. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  const byFolded = new Map<string, string>()
  for (const tag of tags) {
    const clean = tag.replace(NOT_IN_TAG, ' ').trim().slice(0, TAG_LENGTH_MAX)
    if (clean !== '' && !byFolded.has(clean.toLowerCase())) byFolded.set(clean.toLowerCase(), clean)
  }
  return [...byFolded.values()].sort((a, b) => a.localeCompare(b, 'en')).slice(0, TAGS_MAX)
}
