// GIF (87a and 89a): blocks, of which the first image is decoded, whatever follows it.

import { createRaster, type Raster, requirePixels, UndecodableImage } from './raster.ts'

const SCREEN_END = 13
const EXTENSION = 0x21
const GRAPHIC_CONTROL = 0xf9
const IMAGE = 0x2c

/** Codes of the compression: 12 bits. */
const CODES_MAX = 4096

/** Where the rows of an interlaced image begin, and how far they are apart. */
const PASSES = [
  { top: 0, down: 8 },
  { top: 4, down: 8 },
  { top: 2, down: 4 },
  { top: 1, down: 2 },
] as const

/** Decodes the first image. */
export function decodeGif(bytes: Buffer): Raster {
  const flags = bytes.readUInt8(10)
  let offset = SCREEN_END
  const palette = colourTable(bytes, offset, flags)
  offset += palette.length
  let clear: number | null = null
  for (;;) {
    const block = bytes.readUInt8(offset)
    if (block === IMAGE) return decodeImage(bytes, offset + 1, { palette, clear })
    if (block !== EXTENSION) throw new UndecodableImage('The GIF has no image.')
    if (bytes.readUInt8(offset + 1) === GRAPHIC_CONTROL) {
      const isSet = (bytes.readUInt8(offset + 3) & 1) === 1
      clear = isSet ? bytes.readUInt8(offset + 6) : null
    }
    offset = subBlocks(bytes, offset + 2).end
  }
}

/** A colour table, when the flags announce one. */
function colourTable(bytes: Buffer, offset: number, flags: number): Buffer {
  return bytes.subarray(offset, offset + ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)))
}

function decodeImage(
  bytes: Buffer,
  start: number,
  screen: { readonly palette: Buffer; readonly clear: number | null },
): Raster {
  const width = bytes.readUInt16LE(start + 4)
  const height = bytes.readUInt16LE(start + 6)
  requirePixels(width, height)
  const flags = bytes.readUInt8(start + 8)
  const own = colourTable(bytes, start + 9, flags)
  const palette = own.length > 0 ? own : screen.palette
  const data = start + 9 + own.length
  const { blocks } = subBlocks(bytes, data + 1)
  const indexes = decompress(Buffer.concat(blocks), bytes.readUInt8(data), width * height)
  const image = createRaster(width, height)
  const rows = rowOrder(height, (flags & 0x40) !== 0)
  for (const [line, row] of rows.entries()) {
    for (let x = 0; x < width; x += 1) {
      const index = indexes[line * width + x] ?? 0
      const at = (row * width + x) * 4
      for (let channel = 0; channel < 3; channel += 1) {
        image.rgba[at + channel] = palette[index * 3 + channel] ?? 0
      }
      image.rgba[at + 3] = index === screen.clear ? 0 : 255
    }
  }
  return image
}

function rowOrder(height: number, isInterlaced: boolean): readonly number[] {
  const passes = isInterlaced ? PASSES : [{ top: 0, down: 1 }]
  return passes.flatMap(({ top, down }) =>
    Array.from({ length: Math.ceil(Math.max(0, height - top) / down) }, (_, y) => top + y * down),
  )
}

/** Blocks of up to 255 bytes, until one is empty. */
function subBlocks(bytes: Buffer, start: number): { blocks: Buffer[]; end: number } {
  const blocks: Buffer[] = []
  let offset = start
  for (;;) {
    const length = bytes.readUInt8(offset)
    offset += 1
    if (length === 0) return { blocks, end: offset }
    blocks.push(bytes.subarray(offset, offset + length))
    offset += length
  }
}

/**
 * Decompresses LZW: a code stands for a run of bytes, which is an earlier run and one more byte.
 * Every code but those that clear the table writes at least one byte, so it is linear.
 */
function decompress(data: Buffer, literalBits: number, length: number): Uint8Array {
  if (literalBits < 2 || literalBits > 8) throw new UndecodableImage('The GIF has wrong codes.')
  const output = new Uint8Array(length)
  // Where the run of a code was written, and how long it is.
  const starts = new Uint32Array(CODES_MAX)
  const lengths = new Uint32Array(CODES_MAX)
  const clearCode = 1 << literalBits
  let codeBits = literalBits + 1
  let next = clearCode + 2
  let previous: { readonly start: number; readonly length: number } | null = null
  let written = 0
  let bits = 0
  let bitCount = 0
  let offset = 0
  while (written < length) {
    while (bitCount < codeBits) {
      if (offset >= data.length) throw new UndecodableImage('The GIF has too few pixels.')
      bits |= (data[offset] ?? 0) << bitCount
      bitCount += 8
      offset += 1
    }
    const code = bits & ((1 << codeBits) - 1)
    bits >>>= codeBits
    bitCount -= codeBits
    if (code === clearCode) {
      codeBits = literalBits + 1
      next = clearCode + 2
      previous = null
      continue
    }
    const isKnown = code < clearCode || (code > clearCode + 1 && code < next)
    const isNew = code === next && previous !== null
    if (!isKnown && !isNew) throw new UndecodableImage('The GIF has a code without meaning.')
    const start = written
    if (code < clearCode) {
      output[written] = code
      written += 1
    } else {
      // The run of a new code begins where the previous one was written, and overlaps itself.
      const from: number = isNew ? (previous?.start ?? 0) : (starts[code] ?? 0)
      const count: number = isNew ? (previous?.length ?? 0) + 1 : (lengths[code] ?? 0)
      for (let index = 0; index < count && written < length; index += 1) {
        output[written] = output[from + index] ?? 0
        written += 1
      }
    }
    // The previous run and the byte that follows it: both are in the output already.
    if (previous !== null && next < CODES_MAX) {
      starts[next] = previous.start
      lengths[next] = previous.length + 1
      next += 1
      if (next === 1 << codeBits && codeBits < 12) codeBits += 1
    }
    previous = { start, length: written - start }
  }
  return output
}
