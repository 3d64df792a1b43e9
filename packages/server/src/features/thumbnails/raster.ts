/** An image as pixels: red, green, blue and alpha of each, a byte each, alpha not multiplied in. */
export type Raster = {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** Why an image has no thumbnail. */
export class UndecodableImage extends Error {}

/**
 * Pixels that an image may declare. Mailpit has the same limit; at four bytes each, a decoder
 * takes 80 MB for its result.
 */
const PIXELS_MAX = 20_000_000

/** Refuses an image by the size that its header declares, before anything is allocated for it. */
export function requirePixels(width: number, height: number): void {
  if (width < 1 || height < 1 || width * height > PIXELS_MAX) {
    throw new UndecodableImage(`The image declares ${width} by ${height} pixels.`)
  }
}

/** An empty raster of this size; its pixels are transparent. */
export function createRaster(width: number, height: number): Raster {
  return { width, height, rgba: new Uint8Array(width * height * 4) }
}
