/** Lowest probability with which a value is given when its form is known. */
export const FORMAT_PROBABILITY_MIN = 0.2

/**
 * Whether a value has a form: `9` stands for a digit, `A` for a letter or digit. Separators count
 * neither in the value nor in the form.
 */
export function hasOtpFormat(value: string, format: string): boolean {
  const places = format.replaceAll(/[^9A]/g, '')
  const signs = [...value.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')]
  if (signs.length !== places.length) return false
  return signs.every((sign, at) => places.charAt(at) === 'A' || /\d/.test(sign))
}
