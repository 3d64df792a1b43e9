import { DEFECTS_MAX } from '../limits.ts'

/** What can be wrong with a mail that is read all the same, each in a sentence for its owner. */
export const DEFECTS = {
  noHeaders: 'The mail has no header fields.',
  noSeparator: 'The header is not separated from the body by an empty line.',
  bareReturns: 'Lines end in a bare carriage return.',
  tooManyHeaders: 'There are more header fields than are read.',
  headersTooLarge: 'The header is larger than what is read of it.',
  badContentType: 'A Content-Type field cannot be understood.',
  noBoundary: 'A multipart names no boundary.',
  boundaryMissing: 'The boundary of a multipart never appears.',
  notClosed: 'A multipart has no closing boundary.',
  tooDeep: 'Parts are nested deeper than is read.',
  tooManyParts: 'There are more parts than are read.',
  tooManyAttachments: 'There are more attachments than are listed.',
  tooManyAddresses: 'A field has more addresses than are kept.',
  badBase64: 'A part is not sound base64.',
  badQuotedPrintable: 'A part is not sound quoted-printable.',
  badEncodedWord: 'An encoded word cannot be decoded.',
  badDate: 'The Date field cannot be understood.',
  unknownEncoding: 'A part names an unknown transfer encoding.',
  unknownCharset: 'A part names an unknown charset; windows-1252 is assumed.',
  badCharset: 'A part holds bytes that its charset does not have.',
} as const

/** Name of a defect. */
export type Defect = keyof typeof DEFECTS

/** Gathers the defects of one mail, each once. */
export class DefectList {
  readonly #found = new Set<Defect>()

  note(defect: Defect): void {
    if (this.#found.size < DEFECTS_MAX) this.#found.add(defect)
  }

  /** Takes over what another list has. */
  add(other: DefectList): void {
    for (const defect of other.#found) this.note(defect)
  }

  /** The sentences, in the order in which the defects were met. */
  sentences(): readonly string[] {
    return [...this.#found].map((defect) => DEFECTS[defect])
  }
}
