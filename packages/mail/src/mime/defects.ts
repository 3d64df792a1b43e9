import { DEFECTS_MAX } from '../limits.ts'

/** Every defect of a mail, which is parsed nevertheless, with its text for users. */
export const DEFECTS = {
  noHeaders: 'The mail has no header fields.',
  noSeparator: 'The header is not separated from the body by an empty line.',
  bareReturns: 'Lines end with a bare carriage return.',
  tooManyHeaders: 'The header has too many fields; the rest is ignored.',
  headersTooLarge: 'The header is too large; the rest is ignored.',
  badContentType: 'A Content-Type field is invalid.',
  noBoundary: 'A multipart declares no boundary.',
  boundaryMissing: 'The declared boundary of a multipart does not occur.',
  notClosed: 'A multipart has no closing boundary.',
  tooDeep: 'Parts are nested too deeply; the rest is ignored.',
  tooManyParts: 'The mail has too many parts; the rest is ignored.',
  tooManyAttachments: 'The mail has too many attachments; the rest is ignored.',
  tooManyAddresses: 'A field has too many addresses; the rest is ignored.',
  badBase64: 'A part contains invalid base64.',
  badQuotedPrintable: 'A part contains invalid quoted-printable.',
  badEncodedWord: 'An encoded word cannot be decoded.',
  badDate: 'The Date field is invalid.',
  unknownEncoding: 'A part declares an unknown transfer encoding.',
  unknownCharset: 'A part declares an unknown charset; windows-1252 is assumed.',
  badCharset: 'A part contains bytes that are invalid in its charset.',
} as const

/** Name of a defect. */
export type Defect = keyof typeof DEFECTS

/** Collects the defects of one mail, each once. */
export class DefectList {
  readonly #found = new Set<Defect>()

  note(defect: Defect): void {
    if (this.#found.size < DEFECTS_MAX) this.#found.add(defect)
  }

  /** Whether this defect was found. */
  has(defect: Defect): boolean {
    return this.#found.has(defect)
  }

  /** Adds the defects of another list. */
  add(other: DefectList): void {
    for (const defect of other.#found) this.note(defect)
  }

  /** The texts, in the order in which the defects were found. */
  sentences(): readonly string[] {
    return [...this.#found].map((defect) => DEFECTS[defect])
  }
}
