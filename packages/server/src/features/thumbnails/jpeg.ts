import { decodeJpegPixels } from './codecs.ts'
import { type Orientation, readOrientation } from './orientation.ts'
import { type Raster, requirePixels, UndecodableImage } from './raster.ts'

const APP1 = 0xe1
const START_OF_SCAN = 0xda
const EXIF_NAME = 'Exif\0\0'

/** Markers that begin a frame: SOF0 to SOF15 without the three that are something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

/** Decodes the image. */
export async function decodeJpeg(
  bytes: Buffer,
): Promise<{ image: Raster; orientation: Orientation }> {
  const { width, height, orientation } = readHeader(bytes)
  requirePixels(width, height)
  return { image: await decodeJpegPixels(bytes), orientation }
}

function readHeader(bytes: Buffer) {
  let offset = 2
  let orientation: Orientation = 1
  for (;;) {
    if (bytes.readUInt8(offset) !== 0xff) throw new UndecodableImage('The JPEG has no marker.')
    const marker = bytes.readUInt8(offset + 1)
    if (marker === 0xff) {
      // Markers can have bytes of padding before them.
      offset += 1
      continue
    }
    const length = bytes.readUInt16BE(offset + 2)
    const body = bytes.subarray(offset + 4, offset + 2 + length)
    if (isFrame(marker)) {
      return { height: body.readUInt16BE(1), width: body.readUInt16BE(3), orientation }
    }
    if (marker === START_OF_SCAN) throw new UndecodableImage('The JPEG has no frame.')
    if (marker === APP1 && body.toString('latin1', 0, 6) === EXIF_NAME) {
      orientation = readOrientation(body.subarray(6))
    }
    offset += 2 + length
  }
}
