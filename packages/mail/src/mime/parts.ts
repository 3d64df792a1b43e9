import { MIME_DEPTH_MAX, MIME_PARTS_MAX } from '../limits.ts'
import type { DefectList } from './defects.ts'
import { type ByteRange, findField, type HeaderField, readHeaders } from './headers.ts'
import { findBoundary, splitParts } from './multipart.ts'
import { type Parameterised, parseParameterised } from './parameters.ts'

/** A part that contains no other parts. */
export interface LeafPart {
  readonly fields: readonly HeaderField[]
  readonly type: Parameterised
  /** Its encoded body. */
  readonly range: ByteRange
  /** Its place: `2`, or `2.1` for the first part of the second; `0` for the whole mail. */
  readonly number: string
  /** Type of the multipart that contains it; null if it is the whole mail. */
  readonly parent: string | null
  /** Number of the outermost multipart/alternative that contains it, at any depth. */
  readonly alternative: number | null
}

/** The multiparts around a part. */
interface Nesting {
  readonly depth: number
  /** Of the part that they contain. */
  readonly number: string
  readonly parent: string | null
  readonly alternative: number | null
}

const OUTERMOST: Nesting = { depth: 0, number: '0', parent: null, alternative: null }
const DEFAULT_TYPE: Parameterised = { value: 'text/plain', parameters: new Map() }
const DIGEST_TYPE: Parameterised = { value: 'message/rfc822', parameters: new Map() }

/** The leaf parts of a mail in order. `fields` is its header, `range` its body. */
export function readParts(
  raw: Buffer,
  fields: readonly HeaderField[],
  options: { readonly range: ByteRange; readonly defects: DefectList },
): readonly LeafPart[] {
  const walk = new PartWalk(raw, options.defects)
  walk.visit(fields, options.range, OUTERMOST)
  return walk.leaves
}

class PartWalk {
  readonly leaves: LeafPart[] = []
  readonly #raw: Buffer
  readonly #defects: DefectList
  #partsLeft = MIME_PARTS_MAX
  #alternatives = 0

  constructor(raw: Buffer, defects: DefectList) {
    this.#raw = raw
    this.#defects = defects
  }

  visit(fields: readonly HeaderField[], range: ByteRange, nesting: Nesting): void {
    const type = this.#typeOf(fields, nesting.parent)
    const leaf: LeafPart = {
      fields,
      type,
      range,
      number: nesting.number,
      parent: nesting.parent,
      alternative: nesting.alternative,
    }
    if (type.value.startsWith('multipart/')) this.#visitMultipart(leaf, nesting)
    else this.leaves.push(leaf)
  }

  #visitMultipart(multipart: LeafPart, nesting: Nesting): void {
    const { type, range } = multipart
    if (nesting.depth >= MIME_DEPTH_MAX || this.#partsLeft <= 0) {
      this.#defects.note(this.#partsLeft <= 0 ? 'tooManyParts' : 'tooDeep')
      return
    }
    const parts = this.#split(type, range)
    if (parts.length === 0) {
      // Shown as text, so that the content is not lost.
      this.leaves.push({ ...multipart, type: DEFAULT_TYPE })
      return
    }
    this.#partsLeft -= parts.length
    const inside: Omit<Nesting, 'number'> = {
      depth: nesting.depth + 1,
      parent: type.value,
      alternative: nesting.alternative ?? this.#nextAlternative(type.value),
    }
    const start = nesting.depth === 0 ? '' : `${nesting.number}.`
    for (const [index, part] of parts.entries()) {
      const { fields, bodyStart } = readHeaders(this.#raw, part, this.#defects)
      const number = `${start}${index + 1}`
      this.visit(fields, { start: bodyStart, end: part.end }, { ...inside, number })
    }
  }

  #split(type: Parameterised, range: ByteRange): readonly ByteRange[] {
    const named = type.parameters.get('boundary')
    if (named === undefined) this.#defects.note('noBoundary')
    const boundary = findBoundary(this.#raw, range, named)
    if (boundary === null) return []
    const parts = splitParts(this.#raw, range, {
      boundary,
      partsMax: this.#partsLeft,
      defects: this.#defects,
    })
    if (parts.length === 0) this.#defects.note('boundaryMissing')
    return parts
  }

  #nextAlternative(type: string): number | null {
    if (type !== 'multipart/alternative') return null
    this.#alternatives += 1
    return this.#alternatives
  }

  #typeOf(fields: readonly HeaderField[], parent: string | null): Parameterised {
    const field = findField(fields, 'content-type')
    if (field === null) return parent === 'multipart/digest' ? DIGEST_TYPE : DEFAULT_TYPE
    const type = parseParameterised(field, this.#defects)
    if (/^[\w.+-]+\/[\w.+-]+$/.test(type.value)) return type
    this.#defects.note('badContentType')
    const isText = type.value === '' || type.value.startsWith('text')
    const value = isText ? 'text/plain' : 'application/octet-stream'
    return { value, parameters: type.parameters }
  }
}
