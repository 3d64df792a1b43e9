// Scaling as Mailpit's library does it: Lanczos with three lobes, first across, then down, each
// with a rounded result; colours count by their alpha.

import { createRaster, type Raster } from './raster.ts'

type Size = { readonly width: number; readonly height: number }
type Area = Size & { readonly left: number; readonly top: number }

const LOBES = 3

/**
 * Fills the box with the middle of an image that is larger than it in both directions; any other
 * image is scaled down until it fits, and a small one stays as it is.
 */
export function scaleTo(image: Raster, box: Size): Raster {
  const isLarger = image.width >= box.width && image.height >= box.height
  return isLarger
    ? resample(image, middleOf(image, box), box)
    : resample(image, { ...sizeOf(image), left: 0, top: 0 }, fittingSize(image, box))
}

/** The largest area in the middle that has the shape of the box. */
function middleOf({ width, height }: Size, box: Size): Area {
  const isNarrow = width / height < box.width / box.height
  const area = isNarrow
    ? { width, height: Math.round((width * box.height) / box.width) }
    : { width: Math.round((height * box.width) / box.height), height }
  return {
    ...area,
    left: Math.floor((width - area.width) / 2),
    top: Math.floor((height - area.height) / 2),
  }
}

function fittingSize(image: Size, box: Size): Size {
  const { width, height } = sizeOf(image)
  if (width <= box.width && height <= box.height) return { width, height }
  const ratio = width / height
  return ratio > box.width / box.height
    ? { width: box.width, height: Math.max(1, Math.floor(box.width / ratio)) }
    : { width: Math.max(1, Math.floor(box.height * ratio)), height: box.height }
}

function sizeOf({ width, height }: Size): Size {
  return { width, height }
}

function resample(image: Raster, area: Area, size: Size): Raster {
  return resampleDown(resampleAcross(image, area, size.width), size.height)
}

/** Cuts the area out and scales its width. */
function resampleAcross(image: Raster, area: Area, width: number): Raster {
  const result = createRaster(width, area.height)
  const isSame = width === area.width
  for (let x = 0; x < width; x += 1) {
    const { first, weights } = isSame ? onlyPixel(x) : weightsOf(x, width, area.width)
    for (let y = 0; y < area.height; y += 1) {
      const start = ((area.top + y) * image.width + area.left + first) * 4
      sumUp(image.rgba, result.rgba, { start, step: 4, weights, at: (y * width + x) * 4 })
    }
  }
  return result
}

function resampleDown(image: Raster, height: number): Raster {
  if (height === image.height) return image
  const { width } = image
  const result = createRaster(width, height)
  for (let y = 0; y < height; y += 1) {
    const { first, weights } = weightsOf(y, height, image.height)
    for (let x = 0; x < width; x += 1) {
      const start = (first * width + x) * 4
      sumUp(image.rgba, result.rgba, { start, step: width * 4, weights, at: (y * width + x) * 4 })
    }
  }
  return result
}

type Weights = { readonly first: number; readonly weights: Float64Array }

function onlyPixel(index: number): Weights {
  return { first: index, weights: new Float64Array([1]) }
}

/**
 * How much each source pixel counts for one pixel of the result. Not for all pixels of the result
 * at once: an image of 20,000,000 pixels by one would need a gigabyte of weights.
 */
function weightsOf(index: number, size: number, sourceSize: number): Weights {
  const ratio = sourceSize / size
  const scale = Math.max(1, ratio)
  const reach = Math.ceil(scale * LOBES)
  const middle = (index + 0.5) * ratio - 0.5
  const first = Math.max(0, Math.ceil(middle - reach))
  const last = Math.min(Math.floor(middle + reach), sourceSize - 1)
  const weights = new Float64Array(last - first + 1)
  let sum = 0
  for (let offset = 0; offset < weights.length; offset += 1) {
    const weight = lanczos((first + offset - middle) / scale)
    weights[offset] = weight
    sum += weight
  }
  return { first, weights: weights.map((weight) => weight / sum) }
}

function lanczos(x: number): number {
  return Math.abs(x) < LOBES ? sinc(x) * sinc(x / LOBES) : 0
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

type Run = {
  readonly start: number
  readonly step: number
  readonly weights: Float64Array
  /** Where the result is written. */
  readonly at: number
}

/** Writes the weighted sum of a run of pixels. */
function sumUp(source: Uint8Array, target: Uint8Array, run: Run): void {
  const { step, weights, at } = run
  let red = 0
  let green = 0
  let blue = 0
  let alpha = 0
  let from = run.start
  for (let index = 0; index < weights.length; index += 1) {
    const weight = byteAt(source, from + 3) * (weights[index] ?? 0)
    red += byteAt(source, from) * weight
    green += byteAt(source, from + 1) * weight
    blue += byteAt(source, from + 2) * weight
    alpha += weight
    from += step
  }
  if (alpha === 0) return
  target[at] = toByte(red / alpha)
  target[at + 1] = toByte(green / alpha)
  target[at + 2] = toByte(blue / alpha)
  target[at + 3] = toByte(alpha)
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}

function toByte(value: number): number {
  return Math.min(255, Math.max(0, Math.trunc(value + 0.5)))
}

/** Lays an image over the middle of a white one. */
export function centreOnWhite(image: Raster, size: Size): Raster {
  const result = createRaster(size.width, size.height)
  result.rgba.fill(255)
  const left = Math.floor(size.width / 2) - Math.floor(image.width / 2)
  const top = Math.floor(size.height / 2) - Math.floor(image.height / 2)
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      const from = (y * image.width + x) * 4
      const to = ((top + y) * size.width + left + x) * 4
      const opacity = byteAt(image.rgba, from + 3) / 255
      for (let channel = 0; channel < 3; channel += 1) {
        result.rgba[to + channel] =
          255 * (1 - opacity) + byteAt(image.rgba, from + channel) * opacity
      }
    }
  }
  return result
}
