/** Shorter texts are searched for with `includes`, whose worst case is this factor. */
const SHORT_CHARS_MAX = 16

/**
 * Whether `text` contains `part`, in linear time.
 *
 * `includes` takes the product of both lengths in the worst case: 2 s for 2,000 characters that
 * almost match in 1 MB. This is the algorithm of Knuth, Morris and Pratt.
 */
export function contains(text: string, part: string): boolean {
  if (part.length <= SHORT_CHARS_MAX || part.length >= text.length) return text.includes(part)
  const shifts = borders(part)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = shifts[matched - 1] ?? 0
    if (part.charCodeAt(matched) === code) matched += 1
    if (matched === part.length) return true
  }
  return false
}

/** For each beginning of `part`, how long the longest shorter beginning is that it ends with. */
function borders(part: string): Uint32Array {
  const lengths = new Uint32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== code) length = lengths[length - 1] ?? 0
    if (part.charCodeAt(length) === code) length += 1
    lengths[at] = length
  }
  return lengths
}
