// PNG (RFC 2083): chunks, of which IDAT holds the rows of pixels, compressed. Every row begins with
// a filter by which its bytes were written as differences.

import { crc32, inflateSync } from 'node:zlib'
import { type Orientation, readOrientation } from './orientation.ts'
import { createRaster, type Raster, requirePixels, UndecodableImage } from './raster.ts'

const SIGNATURE_BYTES = 8

/** Rows of an image before they are pixels; 16 bits a sample make twice the bytes of a raster. */
const ROW_BYTES_MAX = 100_000_000

/** Samples of a pixel by colour type, and the bits that a sample may have. */
const COLOURS: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}

/** The seven passes of an interlaced image: where its pixels begin, and how far they are apart. */
const PASSES = [
  { left: 0, top: 0, across: 8, down: 8 },
  { left: 4, top: 0, across: 8, down: 8 },
  { left: 0, top: 4, across: 4, down: 8 },
  { left: 2, top: 0, across: 4, down: 4 },
  { left: 0, top: 2, across: 2, down: 4 },
  { left: 1, top: 0, across: 2, down: 2 },
  { left: 0, top: 1, across: 1, down: 2 },
] as const

const WHOLE = [{ left: 0, top: 0, across: 1, down: 1 }] as const

type Pass = (typeof PASSES)[number] | (typeof WHOLE)[number]

type Header = {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly samples: number
  readonly isInterlaced: boolean
}

type Chunks = {
  readonly header: Header
  readonly palette: Uint8Array
  /** The tRNS chunk: alpha of the palette, or the one colour that is transparent. */
  readonly transparency: Buffer
  readonly data: Buffer
  readonly orientation: Orientation
}

/** Decodes the image; of an animation the one that is shown where animations are not. */
export function decodePng(bytes: Buffer): { image: Raster; orientation: Orientation } {
  const chunks = readChunks(bytes)
  const { header } = chunks
  const passes = (header.isInterlaced ? PASSES : WHOLE).map((pass) => ({
    ...pass,
    ...sizeOfPass(header, pass),
  }))
  const rows = inflate(chunks.data, passes)
  const image = createRaster(header.width, header.height)
  const toPixel = pixelWriter(chunks, image.rgba)
  const pixelBytes = Math.max(1, (header.samples * header.depth) >> 3)
  let offset = 0
  for (const pass of passes) {
    let above: Uint8Array = new Uint8Array(pass.rowBytes)
    for (let y = 0; y < pass.rows; y += 1) {
      const row = rows.subarray(offset + 1, offset + 1 + pass.rowBytes)
      unfilter(row, above, { filter: rows[offset], pixelBytes })
      const line = (pass.top + y * pass.down) * header.width + pass.left
      for (let x = 0; x < pass.columns; x += 1) toPixel(row, x, (line + x * pass.across) * 4)
      above = row
      offset += 1 + pass.rowBytes
    }
  }
  return { image, orientation: chunks.orientation }
}

function readChunks(bytes: Buffer): Chunks {
  let header: Header | null = null
  let palette: Uint8Array = new Uint8Array()
  let transparency = Buffer.alloc(0)
  let orientation: Orientation = 1
  const data: Buffer[] = []
  for (const { type, body } of chunksOf(bytes)) {
    if (header === null) {
      if (type !== 'IHDR') break
      header = readHeader(body)
    } else if (type === 'PLTE') palette = body
    else if (type === 'tRNS') transparency = Buffer.from(body)
    else if (type === 'eXIf') orientation = readOrientation(body)
    else if (type === 'IDAT') data.push(body)
    else if (type === 'IEND') break
  }
  if (header === null) throw new UndecodableImage('The PNG has no header.')
  return { header, palette, transparency, data: Buffer.concat(data), orientation }
}

function* chunksOf(bytes: Buffer): Generator<{ readonly type: string; readonly body: Buffer }> {
  let offset = SIGNATURE_BYTES
  while (offset + 12 <= bytes.length) {
    const end = offset + 8 + bytes.readUInt32BE(offset)
    if (end + 4 > bytes.length) throw new UndecodableImage('A chunk of the PNG is cut off.')
    if (crc32(bytes.subarray(offset + 4, end)) !== bytes.readUInt32BE(end)) {
      throw new UndecodableImage('A chunk of the PNG is damaged.')
    }
    yield {
      type: bytes.toString('latin1', offset + 4, offset + 8),
      body: bytes.subarray(offset + 8, end),
    }
    offset = end + 4
  }
}

function readHeader(body: Buffer): Header {
  if (body.length !== 13) throw new UndecodableImage('The header of the PNG has a wrong length.')
  const width = body.readUInt32BE(0)
  const height = body.readUInt32BE(4)
  requirePixels(width, height)
  const depth = body.readUInt8(8)
  const colour = body.readUInt8(9)
  const known = COLOURS[colour]
  if (known === undefined || !known.depths.includes(depth)) {
    throw new UndecodableImage(`The PNG has colour type ${colour} with ${depth} bits.`)
  }
  const { samples } = known
  return { width, height, depth, colour, samples, isInterlaced: body.readUInt8(12) === 1 }
}

function sizeOfPass({ width, height, depth, samples }: Header, pass: Pass) {
  const columns = Math.ceil((width - pass.left) / pass.across)
  const rows = columns > 0 ? Math.max(0, Math.ceil((height - pass.top) / pass.down)) : 0
  return { columns, rows, rowBytes: Math.ceil((Math.max(0, columns) * samples * depth) / 8) }
}

function inflate(
  data: Buffer,
  passes: readonly { readonly rows: number; readonly rowBytes: number }[],
): Buffer {
  const length = passes.reduce((sum, { rows, rowBytes }) => sum + rows * (1 + rowBytes), 0)
  if (length > ROW_BYTES_MAX) throw new UndecodableImage(`The PNG has ${length} bytes of pixels.`)
  // One chunk for all of it: several would be joined, which takes the memory twice.
  const rows = inflateSync(data, { maxOutputLength: length, chunkSize: Math.max(64, length + 1) })
  if (rows.length < length) throw new UndecodableImage('The PNG has too few pixels.')
  return rows
}

/** Turns the differences of a row into its bytes. */
function unfilter(
  row: Uint8Array,
  above: Uint8Array,
  { filter, pixelBytes }: { readonly filter: number | undefined; readonly pixelBytes: number },
): void {
  for (let index = 0; index < row.length; index += 1) {
    const left = index < pixelBytes ? 0 : (row[index - pixelBytes] ?? 0)
    const up = above[index] ?? 0
    let guess = 0
    if (filter === 1) guess = left
    else if (filter === 2) guess = up
    else if (filter === 3) guess = (left + up) >> 1
    else if (filter === 4) {
      guess = paeth(left, up, index < pixelBytes ? 0 : (above[index - pixelBytes] ?? 0))
    } else if (filter !== 0) throw new UndecodableImage(`The PNG has the filter ${filter}.`)
    row[index] = (row[index] ?? 0) + guess
  }
}

function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner)
  const toUp = Math.abs(left - corner)
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

type PixelWriter = (row: Uint8Array, x: number, at: number) => void

/** Writes pixel `x` of a row into a raster. */
function pixelWriter({ header, palette, transparency }: Chunks, rgba: Uint8Array): PixelWriter {
  const { depth, samples, colour } = header
  const sample = sampleReader(depth)
  if (colour === 3) {
    return (row, x, at) => {
      const entry = sample(row, x)
      for (let channel = 0; channel < 3; channel += 1) {
        rgba[at + channel] = palette[entry * 3 + channel] ?? 0
      }
      rgba[at + 3] = transparency[entry] ?? 255
    }
  }
  const isGrey = samples < 3
  const hasAlpha = samples % 2 === 0
  // Samples become bytes: those of few bits are stretched, of 16 bits the upper 8 are taken.
  const toByte = depth === 16 ? 1 / 256 : 255 / (2 ** depth - 1)
  const colours = isGrey ? 1 : 3
  const clear =
    !hasAlpha && transparency.length >= colours * 2
      ? Array.from({ length: colours }, (_, index) => transparency.readUInt16BE(index * 2))
      : null
  return (row, x, at) => {
    const first = x * samples
    for (let channel = 0; channel < 3; channel += 1) {
      rgba[at + channel] = sample(row, first + (isGrey ? 0 : channel)) * toByte
    }
    const isClear = clear?.every((value, index) => sample(row, first + index) === value) ?? false
    const opaque = isClear ? 0 : 255
    rgba[at + 3] = hasAlpha ? sample(row, first + samples - 1) * toByte : opaque
  }
}

function sampleReader(depth: number): (row: Uint8Array, index: number) => number {
  if (depth === 8) return (row, index) => row[index] ?? 0
  if (depth === 16) return (row, index) => ((row[index * 2] ?? 0) << 8) | (row[index * 2 + 1] ?? 0)
  const mask = 2 ** depth - 1
  return (row, index) => {
    const bit = index * depth
    return ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & mask
  }
}
