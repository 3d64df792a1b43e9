// How an image is turned, as cameras write it: EXIF, a TIFF structure with tags.

import { createRaster, type Raster } from './raster.ts'

/** EXIF's number: 1 is upright, 2 to 4 keep width and height, 5 to 8 swap them. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const ORIENTATION_TAG = 0x0112
const SHORT_TYPE = 3
const ENTRY_BYTES = 12

/** Reads the orientation from EXIF data; upright when it has none. */
export function readOrientation(exif: Uint8Array): Orientation {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength)
  if (view.byteLength < 8) return 1
  const isLittle = view.getUint16(0) === 0x4949
  const start = view.getUint32(4, isLittle)
  if (start + 2 > view.byteLength) return 1
  const count = view.getUint16(start, isLittle)
  for (let index = 0; index < count; index += 1) {
    const entry = start + 2 + index * ENTRY_BYTES
    if (entry + ENTRY_BYTES > view.byteLength) return 1
    if (view.getUint16(entry, isLittle) !== ORIENTATION_TAG) continue
    if (view.getUint16(entry + 2, isLittle) !== SHORT_TYPE) return 1
    const value = view.getUint16(entry + 8, isLittle)
    return isOrientation(value) ? value : 1
  }
  return 1
}

function isOrientation(value: number): value is Orientation {
  return value >= 1 && value <= 8
}

/** Whether width and height change places. */
export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5
}

/** Turns an image upright. */
export function turnUpright(image: Raster, orientation: Orientation): Raster {
  if (orientation === 1) return image
  const { width, height } = image
  const isSwapped = swapsSides(orientation)
  const turned = isSwapped ? createRaster(height, width) : createRaster(width, height)
  const isFromRight = [2, 3, 7, 8].includes(orientation)
  const isFromBottom = [3, 4, 6, 7].includes(orientation)
  for (let y = 0; y < turned.height; y += 1) {
    for (let x = 0; x < turned.width; x += 1) {
      const [column, row] = isSwapped ? [y, x] : [x, y]
      const sourceX = isFromRight ? width - 1 - column : column
      const sourceY = isFromBottom ? height - 1 - row : row
      const source = (sourceY * width + sourceX) * 4
      turned.rgba.set(image.rgba.subarray(source, source + 4), (y * turned.width + x) * 4)
    }
  }
  return turned
}
