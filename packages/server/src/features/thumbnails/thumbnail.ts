// Thumbnails of images that strangers sent. Only a thread that can be ended runs this.

import { encodeJpeg } from './codecs.ts'
import { decodeJpeg } from './jpeg.ts'
import { type Orientation, swapsSides, turnUpright } from './orientation.ts'
import { decodePng } from './png.ts'
import type { Raster } from './raster.ts'
import { centreOnWhite, scaleTo } from './scale.ts'
import { decodeWebp } from './webp.ts'

const THUMBNAIL = { width: 180, height: 120 }

type Decoded = { readonly image: Raster; readonly orientation: Orientation }

/** How each format begins. */
const FORMATS: readonly {
  readonly pattern: RegExp
  readonly decode: (bytes: Buffer) => Promise<Decoded>
}[] = [
  { pattern: /^\x89PNG\r\n\x1a\n/, decode: async (bytes) => decodePng(bytes) },
  { pattern: /^\xff\xd8\xff/, decode: decodeJpeg },
  { pattern: /^RIFF.{4}WEBP/s, decode: decodeWebp },
]

/** A JPEG of 180 by 120 pixels; null for an image that cannot be decoded. */
export async function composeThumbnail(bytes: Uint8Array): Promise<Uint8Array | null> {
  const decoded = await decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (decoded === null) return null
  const { image, orientation } = decoded
  // Turned last: a turned copy of all pixels would take the memory twice.
  const { width, height } = THUMBNAIL
  const box = swapsSides(orientation) ? { width: height, height: width } : THUMBNAIL
  const upright = turnUpright(scaleTo(image, box), orientation)
  return encodeJpeg(centreOnWhite(upright, THUMBNAIL))
}

async function decode(bytes: Buffer): Promise<Decoded | null> {
  const start = bytes.toString('latin1', 0, 16)
  const format = FORMATS.find(({ pattern }) => pattern.test(start))
  try {
    return (await format?.decode(bytes)) ?? null
  } catch {
    // Reading past the end, a damaged stream, a trap in WebAssembly: the bytes are a stranger's.
    return null
  }
}
