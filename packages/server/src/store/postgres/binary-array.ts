// Arrays in PostgreSQL's binary form (array_send in its sources). As text, every byte of a mail
// would be escaped here and read character by character there.

/** The type of a column's values. */
export type ValueType = 'text' | 'integer' | 'real' | 'bytes'

/** The name and the number of each type in PostgreSQL. */
const TYPES: Readonly<Record<ValueType, { readonly name: string; readonly oid: number }>> = {
  text: { name: 'text', oid: 25 },
  integer: { name: 'bigint', oid: 20 },
  real: { name: 'double precision', oid: 701 },
  bytes: { name: 'bytea', oid: 17 },
}

const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NUMBER_BYTES = 8
const NULL_LENGTH = -1
const WORD = 2 ** 32

/** The name of an array type. */
export function arrayType(type: ValueType): string {
  return `${TYPES[type].name}[]`
}

/** An array with one dimension. A NUL in a text, which PostgreSQL cannot store, is replaced. */
export function binaryArray(type: ValueType, values: readonly unknown[]): Buffer {
  const elements = values.map((value) => (value === null ? null : elementBytes(type, value)))
  let sizeBytes = HEADER_BYTES
  for (const element of elements) sizeBytes += LENGTH_BYTES + (element?.length ?? 0)
  const array = Buffer.allocUnsafe(sizeBytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(elements.includes(null) ? 1 : 0, 4)
  array.writeInt32BE(TYPES[type].oid, 8)
  array.writeInt32BE(elements.length, 12)
  array.writeInt32BE(1, 16)
  let at = HEADER_BYTES
  for (const element of elements) {
    at = array.writeInt32BE(element?.length ?? NULL_LENGTH, at)
    if (element === null) continue
    array.set(element, at)
    at += element.length
  }
  return array
}

function elementBytes(type: ValueType, value: unknown): Uint8Array {
  if (type === 'text' && typeof value === 'string') {
    return Buffer.from(value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value, 'utf8')
  }
  if (type === 'bytes' && value instanceof Uint8Array) return value
  if (typeof value === 'number' && (type === 'integer' || type === 'real')) {
    const bytes = Buffer.allocUnsafe(NUMBER_BYTES)
    if (type === 'real') bytes.writeDoubleBE(value)
    else {
      const high = Math.floor(value / WORD)
      bytes.writeInt32BE(high, 0)
      bytes.writeUInt32BE(value - high * WORD, 4)
    }
    return bytes
  }
  throw new TypeError(`a value of a column of the type ${type} is a ${typeof value}`)
}
