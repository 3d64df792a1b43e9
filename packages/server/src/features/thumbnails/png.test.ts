import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type PngOptions, writeExif, writePng } from '../../../test/testing-images.ts'
import { decodePng } from './png.ts'

type Case = Omit<PngOptions, 'width' | 'height'> & {
  readonly rgba: (x: number, y: number) => readonly number[]
}

const grey = (x: number, y: number) => (x * 7 + y * 3) % 256
const PALETTE = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7]

const CASES: Readonly<Record<string, Case>> = {
  'grey, 1 bit': {
    ...{ colour: 0, depth: 1, pixel: (x, y) => [(x + y) % 2] },
    rgba: (x, y) => [...Array(3).fill(((x + y) % 2) * 255), 255],
  },
  'grey, 2 bits': {
    ...{ colour: 0, depth: 2, pixel: (x, y) => [(x + y) % 4] },
    rgba: (x, y) => [...Array(3).fill(((x + y) % 4) * 85), 255],
  },
  'grey, 4 bits': {
    ...{ colour: 0, depth: 4, pixel: (x, y) => [(x + y) % 16] },
    rgba: (x, y) => [...Array(3).fill(((x + y) % 16) * 17), 255],
  },
  'grey, 8 bits': {
    ...{ colour: 0, depth: 8, pixel: (x, y) => [grey(x, y)] },
    rgba: (x, y) => [...Array(3).fill(grey(x, y)), 255],
  },
  'grey, 16 bits': {
    ...{ colour: 0, depth: 16, pixel: (x, y) => [grey(x, y) * 256 + 200] },
    rgba: (x, y) => [...Array(3).fill(grey(x, y)), 255],
  },
  'grey, one transparent': {
    ...{ colour: 0, depth: 8, pixel: (x) => [x], chunks: { tRNS: [0, 5] } },
    rgba: (x) => [x, x, x, x === 5 ? 0 : 255],
  },
  'colour, 8 bits': {
    ...{ colour: 2, depth: 8, pixel: (x, y) => [x * 9, y * 11, grey(x, y)] },
    rgba: (x, y) => [x * 9, y * 11, grey(x, y), 255],
  },
  'colour, 16 bits': {
    ...{ colour: 2, depth: 16, pixel: (x, y) => [x * 2000, y * 3000, 65_535] },
    rgba: (x, y) => [(x * 2000) >> 8, (y * 3000) >> 8, 255, 255],
  },
  // All 16 bits count for the transparent colour: pixel 4 has the same upper bits.
  'colour, 16 bits, one transparent': {
    ...{
      colour: 2,
      depth: 16,
      pixel: (x) => [256 + x, 0, 0],
      chunks: { tRNS: [1, 3, 0, 0, 0, 0] },
    },
    rgba: (x) => [1, 0, 0, x === 3 ? 0 : 255],
  },
  'palette, 2 bits': {
    ...{ colour: 3, depth: 2, pixel: (x, y) => [(x + y) % 4], chunks: { PLTE: PALETTE } },
    rgba: (x, y) => [...PALETTE.slice(((x + y) % 4) * 3).slice(0, 3), 255],
  },
  'palette with alpha': {
    colour: 3,
    depth: 8,
    pixel: (x, y) => [(x + y) % 4],
    chunks: { PLTE: PALETTE, tRNS: [0, 128] },
    rgba: (x, y) => {
      const entry = (x + y) % 4
      return [...PALETTE.slice(entry * 3).slice(0, 3), [0, 128][entry] ?? 255]
    },
  },
  'grey and alpha': {
    ...{ colour: 4, depth: 8, pixel: (x, y) => [x * 9, y * 11] },
    rgba: (x, y) => [x * 9, x * 9, x * 9, y * 11],
  },
  'grey and alpha, 16 bits': {
    ...{ colour: 4, depth: 16, pixel: (x, y) => [x * 2000, y * 3000] },
    rgba: (x, y) => [...Array(3).fill((x * 2000) >> 8), (y * 3000) >> 8],
  },
  'colour and alpha': {
    ...{ colour: 6, depth: 8, pixel: (x, y) => [x * 9, y * 11, 77, grey(x, y)] },
    rgba: (x, y) => [x * 9, y * 11, 77, grey(x, y)],
  },
  'colour and alpha, 16 bits': {
    ...{ colour: 6, depth: 16, pixel: (x, y) => [x * 2000, y * 3000, 256, 65_535] },
    rgba: (x, y) => [(x * 2000) >> 8, (y * 3000) >> 8, 1, 255],
  },
}

describe('PNG', () => {
  for (const [name, { rgba, ...options }] of Object.entries(CASES)) {
    for (const isInterlaced of [false, true]) {
      for (const [width, height] of [
        [27, 21],
        [1, 1],
        [3, 5],
      ] as const) {
        it(`${name}, ${width} by ${height}${isInterlaced ? ', interlaced' : ''}`, () => {
          const { image } = decodePng(writePng({ ...options, width, height, isInterlaced }))
          assert.deepEqual([image.width, image.height], [width, height])
          const wanted: number[] = []
          for (let y = 0; y < height; y += 1) {
            for (let x = 0; x < width; x += 1) wanted.push(...rgba(x, y))
          }
          assert.deepEqual([...image.rgba], wanted)
        })
      }
    }
  }

  it('says how it is turned', () => {
    const chunks = { eXIf: [...writeExif(6)] }
    const png = writePng({ width: 1, height: 1, colour: 0, depth: 8, pixel: () => [0], chunks })
    assert.equal(decodePng(png).orientation, 6)
  })
})
