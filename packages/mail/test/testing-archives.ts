import { crc32, deflateRawSync } from 'node:zlib'

/** A file for an archive. */
export interface PackedFile {
  readonly name: string
  readonly bytes: Buffer
  readonly isDeflated?: boolean
  readonly isEncrypted?: boolean
  /** Its sizes are in a descriptor behind the data, as in a zip that is written to a pipe. */
  readonly isStreamed?: boolean
  /** Its name in the extra field that Info-ZIP, 7-Zip and WinRAR prefer. */
  readonly unicodeName?: string
}

/** A zip of these files; `listed` are those in its central directory, all by default. */
export function zipOf(
  files: readonly PackedFile[],
  options: { readonly listed?: readonly PackedFile[] } = {},
): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const data = file.isDeflated ? deflateRawSync(file.bytes) : file.bytes
    const header = zipHeader(file, data)
    const local = file.isStreamed ? zipHeader(file, Buffer.alloc(0)) : header
    const descriptor = Buffer.alloc(file.isStreamed ? 16 : 0)
    descriptor.write('PK\x07\x08', 'latin1')
    const mark = Buffer.from('PK\x03\x04', 'latin1')
    const written = [mark, local, Buffer.from(file.name), extraOf(file), data, descriptor]
    pieces.push(...written)
    if ((options.listed ?? files).includes(file)) directory.push(zipListing(file, header, offset))
    offset += Buffer.concat(written).length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...pieces, list, end])
}

/** The fields that a local header and a directory entry share. */
function zipHeader(file: PackedFile, data: Buffer): Buffer {
  const header = Buffer.alloc(26)
  header.writeUInt16LE(20, 0)
  header.writeUInt16LE((file.isEncrypted ? 1 : 0) | (file.isStreamed ? 8 : 0), 2)
  header.writeUInt16LE(file.isDeflated ? 8 : 0, 4)
  header.writeUInt32LE(data.length, 14)
  header.writeUInt32LE(file.bytes.length, 18)
  header.writeUInt16LE(Buffer.byteLength(file.name), 22)
  header.writeUInt16LE(extraOf(file).length, 24)
  return header
}

function extraOf({ name, unicodeName }: PackedFile): Buffer {
  if (unicodeName === undefined) return Buffer.alloc(0)
  const head = Buffer.alloc(9)
  head.writeUInt16LE(0x7075, 0)
  head.writeUInt16LE(5 + Buffer.byteLength(unicodeName), 2)
  head.writeUInt8(1, 4)
  head.writeUInt32LE(crc32(name), 5)
  return Buffer.concat([head, Buffer.from(unicodeName)])
}

function zipListing(file: PackedFile, local: Buffer, offset: number): Buffer {
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(offset, 10)
  const madeBy = Buffer.from('PK\x01\x02\x14\x00', 'latin1')
  return Buffer.concat([madeBy, local, tail, Buffer.from(file.name), extraOf(file)])
}

/** A tar of these files. */
export function tarOf(files: readonly PackedFile[]): Buffer {
  const pieces = files.map(({ name, bytes }) => tarEntry({ name, bytes, mark: 'ustar' }))
  return Buffer.concat([...pieces, Buffer.alloc(1_024)])
}

/** One entry of a tar; without a `mark` it is of the oldest form, which has a checksum alone. */
export function tarEntry(entry: {
  readonly name: string
  readonly bytes: Buffer
  readonly type?: string
  readonly mark?: string
}): Buffer {
  const { name, bytes, type = '0', mark = '' } = entry
  const header = Buffer.alloc(512)
  header.write(name)
  header.write(bytes.length.toString(8).padStart(11, '0'), 124)
  header.fill(' ', 148, 156)
  header.write(type, 156)
  header.write(mark, 257)
  const sum = header.reduce((before, byte) => before + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

/**
 * A zip of one piece of deflated data that its directory names `times` times, each time with
 * another size.
 */
export function zipNaming(data: Buffer, times: number): Buffer {
  const local = Buffer.alloc(30)
  local.write('PK\x03\x04', 'latin1')
  local.writeUInt16LE(8, 8)
  local.writeUInt32LE(data.length, 18)
  const directory = Array.from({ length: times }, (_, index) => {
    const listing = Buffer.alloc(46)
    listing.write('PK\x01\x02', 'latin1')
    listing.writeUInt16LE(8, 10)
    listing.writeUInt32LE(data.length + index, 20)
    return listing
  })
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt32LE(local.length + data.length, 16)
  return Buffer.concat([local, data, ...directory, end])
}

/**
 * A zip of `count` files that share their data: each begins with a stored block that contains the
 * header of the next.
 */
export function zipSharing(data: Buffer, count: number): Buffer {
  const local = Buffer.alloc(30)
  local.write('PK\x03\x04', 'latin1')
  local.writeUInt16LE(8, 8)
  const block = Buffer.from([0, local.length, 0, ~local.length & 0xff, 0xff])
  const headers = Array.from({ length: count - 1 }, () => [local, block])
  return Buffer.concat([...headers.flat(), local, data])
}

/** Deflated data of nothing: blocks with a description of codes, and without content. */
export function emptyBlocks(sizeBytes: number): Buffer {
  const four =
    '04c081000000000090ff6b100007020000000040feaf41001c080000000000f9bf060170200000000000e4ff1a'
  return Buffer.alloc(sizeBytes, four, 'hex')
}

/** Empty stored blocks, and then so many zeros that their beginning is hard to find. */
export function lateBomb(): Buffer {
  const empty = Buffer.alloc(510, '000000ffff', 'hex')
  return Buffer.concat([empty, deflateRawSync(Buffer.alloc(4_000_000)).subarray(0, 1_540)])
}
