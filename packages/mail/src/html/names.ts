/** Longest name that packs into a small integer at six bits a character. */
export const PACKED_CHARS_MAX = 5

/**
 * A number for the name that stands in `text`, the same in either case; -1 for what is no name.
 *
 * Names come thousands of times in a mail, and a number is compared faster than a fresh string.
 */
export function packName(text: string, start: number, end: number): number {
  let packed = 0
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    const letter = code | 32
    if (letter >= 97 && letter <= 122) packed = (packed << 6) | (letter - 96)
    else if (code >= 48 && code <= 57) packed = (packed << 6) | (code - 48 + 32)
    else return -1
  }
  return packed
}

/** Whether the character is a letter of ASCII. */
export function isLetter(code: number): boolean {
  const letter = code | 32
  return letter >= 97 && letter <= 122
}

/** White space as HTML has it. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

/** Whether the character ends the name of a tag. */
export function endsName(code: number): boolean {
  return code === 62 || code === 47 || isSpace(code)
}
