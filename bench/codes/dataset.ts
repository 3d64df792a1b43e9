import { createHash } from 'node:crypto'
import { candidatesOf } from '../../packages/mail/src/codes/candidates.ts'
import { SeenRows } from '../../packages/mail/src/codes/feature-list.ts'
import { linesOf } from '../../packages/mail/src/codes/lines.ts'
import { KEY_BITS, keyOf } from '../../packages/mail/src/codes/model.ts'
import { featuresOf } from '../../packages/mail/src/codes/rank.ts'
import type { TrainingMail } from './mails.ts'
import { SETTINGS } from './settings.ts'

/** The label of a mail without a code. */
const NO_CODE = -1

/** The label of a mail whose code is no candidate. */
export const LOST = -2

/** Mails as lists of features: first the one of the mail, then those of its values. */
export interface Dataset {
  /** Rows of the table that there are. */
  readonly rowCount: number
  /** Sorted keys of the rows. */
  readonly keys: Int32Array
  /** For each mail the index of its first list; one more at the end. */
  readonly mails: Int32Array
  /** Index of the code among the values of each mail, or `NO_CODE`, or `LOST`. */
  readonly labels: Int32Array
  /** How much each mail counts. */
  readonly weights: Float32Array
  /** For each list the index of its first feature; one more at the end. */
  readonly lists: Int32Array
  readonly rows: Int32Array
  readonly families: Uint8Array
}

/** All features, before the rare ones are left out. */
export interface RawDataset extends Omit<Dataset, 'rowCount' | 'keys'> {
  /** How many mails have each key. */
  readonly counts: Uint16Array
}

const KEYS = 1 << KEY_BITS

/** Reads the features of all mails. */
export function readFeatures(mails: readonly TrainingMail[]): RawDataset {
  // Every key is known.
  const known = { count: KEYS, rowOf: keyOf }
  const seen = new SeenRows(KEYS)
  const counts = new Uint16Array(KEYS)
  const last = new Int32Array(KEYS).fill(-1)
  const [mailStarts, labels, listStarts]: number[][] = [[0], [], [0]]
  const rows = new GrowingInts()
  const families = new GrowingInts()
  for (const [index, { input, otp }] of mails.entries()) {
    const lines = linesOf(input)
    const candidates = candidatesOf(lines)
    const { mail, values } = featuresOf(lines, candidates, { known, seen })
    const label = values.findIndex(({ value }) => value.value === otp)
    labels?.push(otp === null ? NO_CODE : label < 0 ? LOST : label)
    for (const list of [mail, ...values.map(({ features }) => features)]) {
      for (const [at, key] of list.rows.entries()) {
        rows.push(key)
        families.push(list.families[at] ?? 0)
        if (last[key] === index) continue
        last[key] = index
        counts[key] = Math.min((counts[key] ?? 0) + 1, 0xffff)
      }
      listStarts?.push(rows.length)
    }
    mailStarts?.push((listStarts?.length ?? 1) - 1)
  }
  return {
    weights: Float32Array.from(mails, ({ weight }) => weight),
    mails: Int32Array.from(mailStarts ?? []),
    labels: Int32Array.from(labels ?? []),
    lists: Int32Array.from(listStarts ?? []),
    rows: rows.done(),
    families: Uint8Array.from(families.done()),
    counts,
  }
}

/** Features that fewer mails have are left out, and so many are kept at most. */
const MAILS_MIN = 5
const ROWS_MAX = 90_000

/** The same mails with the features that enough of them have. */
export function withoutRare({ counts, ...raw }: RawDataset): Dataset {
  const { mails, labels, weights } = raw
  let least = MAILS_MIN
  const kept = (): number => counts.reduce((sum, count) => sum + (count >= least ? 1 : 0), 0)
  while (kept() > ROWS_MAX) least += 1
  const rowOf = new Int32Array(KEYS).fill(-1)
  const keys = Int32Array.from(
    Array.from(counts.keys()).filter((key) => (counts[key] ?? 0) >= least),
  )
  for (const [row, key] of keys.entries()) rowOf[key] = row
  const rows = shared(Int32Array, raw.rows.length)
  const families = shared(Uint8Array, raw.rows.length)
  const lists = shared(Int32Array, raw.lists.length)
  let to = 0
  for (let list = 0; list + 1 < raw.lists.length; list += 1) {
    for (let at = raw.lists[list] ?? 0; at < (raw.lists[list + 1] ?? 0); at += 1) {
      const row = rowOf[raw.rows[at] ?? 0] ?? -1
      if (row < 0) continue
      rows[to] = row
      families[to] = raw.families[at] ?? 0
      to += 1
    }
    lists[list + 1] = to
  }
  return { rowCount: keys.length, keys, mails, labels, weights, lists, rows, families }
}

/** An array that the threads of the training share. */
function shared<Kind extends Int32Array | Uint8Array>(
  kind: { new (buffer: SharedArrayBuffer): Kind; readonly BYTES_PER_ELEMENT: number },
  length: number,
): Kind {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT))
}

/** What the model follows from: the features of each mail, its code, and how it is trained. */
export function fingerprint(raw: RawDataset): string {
  const { labels, weights, lists, rows, families } = raw
  const hash = createHash('sha256')
  hash.update(JSON.stringify({ SETTINGS, MAILS_MIN, ROWS_MAX }))
  for (const part of [labels, weights, lists, rows, families]) hash.update(part)
  return hash.digest('hex').slice(0, 16)
}

/** Whole numbers one by one. */
class GrowingInts {
  #items = new Int32Array(1 << 20)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const larger = new Int32Array(this.#length * 2)
      larger.set(this.#items)
      this.#items = larger
    }
    this.#items[this.#length] = item
    this.#length += 1
  }

  done(): Int32Array {
    return this.#items.slice(0, this.#length)
  }
}
