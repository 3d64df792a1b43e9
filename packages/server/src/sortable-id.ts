/** Crockford's base32, lower case: sorts as its values do, and no letter looks like a digit. */
export const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 10 characters: 48 bits of milliseconds. */
const TIME_LENGTH = 10

/** The time with which a sortable id begins, after its prefix. */
export function encodeTime(ms: number): string {
  let text = ''
  let rest = ms
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/**
 * A text that sorts before every id of the same kind that was made up to `ms` before this one, and
 * after every earlier one. A text that is not an id with a time is returned unchanged.
 */
export function earlierId(id: string, ms: number): string {
  const [, prefix, time] = /^([a-z]+_)([0-9a-hjkmnp-tv-z]{10})/.exec(id) ?? []
  if (prefix === undefined || time === undefined) return id
  const madeAt = [...time].reduce((sum, digit) => sum * 32 + ALPHABET.indexOf(digit), 0)
  return prefix + encodeTime(Math.max(0, madeAt - ms))
}
