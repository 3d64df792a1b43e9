import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type GifOptions, writeGif } from '../../../test/testing-images.ts'
import { decodeGif } from './gif.ts'

const PALETTE = Array.from({ length: 16 }, (_, i) => [i * 16, 255 - i * 16, i] as const)

/** Runs, gradients and noise: codes of every length, and a table that is cleared. */
const pixel = (x: number, y: number) => (y < 20 ? (x >> 4) % 16 : (x * x * 31 + y * 17) % 16)

const CASES: Readonly<Record<string, GifOptions>> = {
  'one colour': { width: 300, height: 2, palette: PALETTE, pixel: () => 3 },
  'many codes': { width: 200, height: 150, palette: PALETTE, pixel },
  interlaced: { width: 33, height: 29, palette: PALETTE, pixel, isInterlaced: true },
  'interlaced, few rows': { width: 5, height: 2, palette: PALETTE, pixel, isInterlaced: true },
  transparent: { width: 40, height: 30, palette: PALETTE, pixel, clear: 2 },
  'many frames': { width: 20, height: 10, palette: PALETTE, pixel, frames: 5_000 },
}

describe('GIF', () => {
  for (const [name, options] of Object.entries(CASES)) {
    it(name, () => {
      const { width, height, clear } = options
      const image = decodeGif(writeGif(options))
      assert.deepEqual([image.width, image.height], [width, height])
      const wanted: number[] = []
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const index = options.pixel(x, y)
          wanted.push(...(PALETTE[index] ?? []), index === clear ? 0 : 255)
        }
      }
      assert.deepEqual([...image.rgba], wanted)
    })
  }
})
