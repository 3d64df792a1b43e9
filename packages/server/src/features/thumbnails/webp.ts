import { decodeWebpPixels } from './codecs.ts'
import { type Orientation, readOrientation } from './orientation.ts'
import { type Raster, requirePixels, UndecodableImage } from './raster.ts'

/** Decodes the image; an animation has no thumbnail, because libwebp's decoder refuses it. */
export async function decodeWebp(
  bytes: Buffer,
): Promise<{ image: Raster; orientation: Orientation }> {
  let orientation: Orientation = 1
  let hasImage = false
  for (const { type, body } of chunksOf(bytes)) {
    if (type === 'EXIF') orientation = readOrientation(body)
    const size = sizeIn(type, body)
    if (size === null) continue
    requirePixels(size.width, size.height)
    hasImage = true
  }
  if (!hasImage) throw new UndecodableImage('The WebP has no image.')
  return { image: await decodeWebpPixels(bytes), orientation }
}

function* chunksOf(bytes: Buffer): Generator<{ readonly type: string; readonly body: Buffer }> {
  let offset = 12
  while (offset + 8 <= bytes.length) {
    const length = bytes.readUInt32LE(offset + 4)
    const start = offset + 8
    yield {
      type: bytes.toString('latin1', offset, offset + 4),
      body: bytes.subarray(start, start + length),
    }
    // Chunks begin at even places.
    offset = start + length + (length % 2)
  }
}

/** The size that a chunk declares: of the canvas, of a lossy or of a lossless image. */
function sizeIn(type: string, body: Buffer): { width: number; height: number } | null {
  if (type === 'VP8X')
    return { width: body.readUIntLE(4, 3) + 1, height: body.readUIntLE(7, 3) + 1 }
  if (type === 'VP8 ') {
    return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff }
  }
  if (type !== 'VP8L') return null
  const sizes = body.readUInt32LE(1)
  return { width: (sizes & 0x3fff) + 1, height: ((sizes >> 14) & 0x3fff) + 1 }
}
