import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 } as const

/**
 * Any character, as the unit `binary` of fast-check has them. That one makes a table of all of
 * them first, which takes two seconds.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => {
    const isBefore = index < SURROGATES.first
    return String.fromCodePoint(isBefore ? index : index + SURROGATES.count)
  },
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (point === undefined) throw new Error('not a character')
    if (String.fromCodePoint(point) !== character) throw new Error('more than a character')
    return point < SURROGATES.first ? point : point - SURROGATES.count
  },
)
