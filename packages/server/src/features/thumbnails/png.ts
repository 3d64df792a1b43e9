import { decodePngPixels } from './codecs.ts'
import { type Orientation, readOrientation } from './orientation.ts'
import { type Raster, requirePixels } from './raster.ts'

const SIGNATURE_BYTES = 8

/** Decodes the image; of an animation the one that is shown where animations are not. */
export function decodePng(bytes: Buffer): { image: Raster; orientation: Orientation } {
  let orientation: Orientation = 1
  for (const { type, body } of chunksOf(bytes)) {
    // Each, although there may be only one: it must not matter which one the decoder reads.
    if (type === 'IHDR') requirePixels(body.readUInt32BE(0), body.readUInt32BE(4))
    if (type === 'eXIf') orientation = readOrientation(body)
  }
  return { image: decodePngPixels(bytes), orientation }
}

function* chunksOf(bytes: Buffer): Generator<{ readonly type: string; readonly body: Buffer }> {
  let offset = SIGNATURE_BYTES
  while (offset + 8 <= bytes.length) {
    const start = offset + 8
    const end = start + bytes.readUInt32BE(offset)
    const type = bytes.toString('latin1', offset + 4, start)
    yield { type, body: bytes.subarray(start, end) }
    // A checksum follows.
    offset = end + 4
  }
}
