import { ASIAN } from './words/asian.ts'
import { CENTRAL_EUROPEAN } from './words/central.ts'
import type { Lexicon } from './words/concepts.ts'
import { EASTERN } from './words/eastern.ts'
import { ENGLISH } from './words/english.ts'
import { WEST_GERMANIC } from './words/germanic.ts'
import { IBERIAN } from './words/iberian.ts'
import { INDIC } from './words/indic.ts'
import { NORDIC } from './words/nordic.ts'
import { NORTHERN } from './words/northern.ts'
import { RIGHT_TO_LEFT } from './words/right-to-left.ts'
import { ROMANCE } from './words/romance.ts'
import { SLAVIC } from './words/slavic.ts'
import { SOUTHERN } from './words/southern.ts'

/** The words of all languages. A new language is a row in one of these files. */
export const WORDS: Lexicon = {
  ...ENGLISH,
  ...WEST_GERMANIC,
  ...NORDIC,
  ...ROMANCE,
  ...IBERIAN,
  ...SLAVIC,
  ...CENTRAL_EUROPEAN,
  ...NORTHERN,
  ...EASTERN,
  ...RIGHT_TO_LEFT,
  ...INDIC,
  ...ASIAN,
  ...SOUTHERN,
}
