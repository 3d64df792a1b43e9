import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { IS_SOAK } from '../../../../mail/test/testing-soak.ts'
import {
  GIF,
  RED_BLUE,
  withExif,
  writeExif,
  writePng,
  writeScans,
} from '../../../test/testing-images.ts'
import { decodeJpegPixels, encodeJpeg } from './codecs.ts'
import { createRaster } from './raster.ts'
import { scaleTo } from './scale.ts'
import { composeThumbnail } from './thumbnail.ts'

type Colour = readonly [number, number, number]
const WHITE: Colour = [255, 255, 255]
const RED: Colour = [220, 30, 30]
const GREEN: Colour = [30, 200, 30]
const BLUE: Colour = [30, 30, 220]
const YELLOW: Colour = [230, 220, 30]

/** JPEG is not exact, least of all for colours. */
const TOLERANCE = 20

/** Colours of a thumbnail at some places. */
async function coloursOf(
  bytes: Uint8Array,
  places: readonly (readonly [number, number])[],
): Promise<readonly Colour[]> {
  const jpeg = await composeThumbnail(bytes)
  assert.ok(jpeg !== null)
  const { width, height, rgba } = await decodeJpegPixels(jpeg)
  assert.deepEqual([width, height], [180, 120])
  return places.map(([x, y]) => {
    const at = (y * width + x) * 4
    return [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0]
  })
}

async function assertColours(
  bytes: Uint8Array,
  wanted: readonly (readonly [x: number, y: number, colour: Colour])[],
): Promise<void> {
  const colours = await coloursOf(
    bytes,
    wanted.map(([x, y]) => [x, y]),
  )
  for (const [index, [x, y, colour]] of wanted.entries()) {
    const found = colours[index] ?? WHITE
    const isNear = found.every((value, i) => Math.abs(value - (colour[i] ?? 0)) <= TOLERANCE)
    assert.ok(isNear, `${x}, ${y}: ${found} instead of ${colour}`)
  }
}

/** A PNG with a colour in each quarter: red, green, blue, yellow. */
function quarters(
  width: number,
  height: number,
  chunks: Readonly<Record<string, Uint8Array>> = {},
): Buffer {
  return writePng({ width, height, pixel: (x, y) => quarterOf(x / width, y / height), chunks })
}

function quarterOf(x: number, y: number): Colour {
  if (y < 0.5) return x < 0.5 ? RED : GREEN
  return x < 0.5 ? BLUE : YELLOW
}

const CORNERS = [
  [2, 2, RED],
  [177, 2, GREEN],
  [2, 117, BLUE],
  [177, 117, YELLOW],
] as const

describe('thumbnails', () => {
  const SHAPES: Readonly<Record<string, Parameters<typeof assertColours>>> = {
    'the same size': [quarters(180, 120), CORNERS],
    'larger, of the same shape': [quarters(360, 240), CORNERS],
    'wide: the middle': [quarters(600, 120), CORNERS],
    'tall: the middle': [quarters(180, 500), CORNERS],
    // 40 by 30 in the middle of 180 by 120, not enlarged.
    'small: on white': [
      quarters(40, 30),
      [
        [66, 60, WHITE],
        [74, 48, RED],
        [106, 72, YELLOW],
        [113, 60, WHITE],
        [90, 40, WHITE],
        [90, 80, WHITE],
      ],
    ],
    // 60 by 600 becomes 12 by 120.
    'narrow: scaled down': [
      quarters(60, 600),
      [
        [87, 4, RED],
        [93, 4, GREEN],
        [87, 115, BLUE],
        [93, 115, YELLOW],
        [70, 60, WHITE],
        [110, 60, WHITE],
      ],
    ],
    // 900 by 100 becomes 180 by 20.
    'wide and low: scaled down': [
      quarters(900, 100),
      [
        [10, 54, RED],
        [170, 66, YELLOW],
        [90, 40, WHITE],
        [90, 80, WHITE],
      ],
    ],
  }
  for (const [name, shape] of Object.entries(SHAPES)) {
    it(name, () => assertColours(...shape))
  }

  it('have at least a pixel of each image', () => {
    const line = createRaster(2_000, 1)
    line.rgba.fill(255)
    const { width, height, rgba } = scaleTo(line, { width: 180, height: 120 })
    assert.deepEqual([width, height], [180, 1])
    assert.ok(rgba.every((value) => value === 255))
  })

  it('show white behind what is transparent', async () => {
    const size = { width: 200, height: 150 }
    const half = writePng({ ...size, pixel: (x) => [...RED, x < 100 ? 0 : 255] })
    await assertColours(half, [
      [20, 60, WHITE],
      [160, 60, RED],
    ])
    const veil = writePng({ ...size, pixel: () => [0, 128] })
    await assertColours(veil, [[90, 60, [127, 127, 127]]])
  })

  it('do not mix the colour of transparent pixels in', async () => {
    const pixel = (x: number) => (x % 2 === 0 ? [...RED, 255] : [0, 255, 0, 0])
    const stripes = writePng({ width: 360, height: 240, pixel })
    // Half red, half white.
    await assertColours(stripes, [[90, 60, [237, 142, 142]]])
  })

  for (const [name, image] of Object.entries(RED_BLUE)) {
    it(name, () =>
      assertColours(image, [
        [60, 60, WHITE],
        [75, 60, RED],
        [105, 60, BLUE],
        [120, 60, WHITE],
      ]),
    )
  }

  it('are grey', () =>
    assertColours(writePng({ width: 200, height: 150, pixel: () => [90] }), [
      [90, 60, [90, 90, 90]],
    ]))

  /** Where the first pixel of the stored image is shown, and its last one. */
  const TURNED = [
    [1, [RED, GREEN, BLUE, YELLOW]],
    [2, [GREEN, RED, YELLOW, BLUE]],
    [3, [YELLOW, BLUE, GREEN, RED]],
    [4, [BLUE, YELLOW, RED, GREEN]],
    [5, [RED, BLUE, GREEN, YELLOW]],
    [6, [BLUE, RED, YELLOW, GREEN]],
    [7, [YELLOW, GREEN, BLUE, RED]],
    [8, [GREEN, YELLOW, RED, BLUE]],
    [9, [RED, GREEN, BLUE, YELLOW]],
  ] as const
  for (const [orientation, colours] of TURNED) {
    for (const order of ['II', 'MM'] as const) {
      it(`are turned upright: ${orientation}, ${order}`, async () => {
        const image = createRaster(360, 240)
        for (let i = 0; i < 360 * 240; i += 1) {
          image.rgba.set([...quarterOf((i % 360) / 360, Math.floor(i / 360) / 240), 255], i * 4)
        }
        const exif = writeExif(orientation, order)
        const corners = CORNERS.map(([x, y], index) => [x, y, colours[index] ?? WHITE] as const)
        await assertColours(withExif(await encodeJpeg(image), exif), corners)
        await assertColours(quarters(360, 240, { eXIf: exif }), corners)
      })
    }
  }
})

/** A PNG whose header declares a size, whatever data it has. */
const declared = (width: number, height: number, data = deflateSync(Buffer.alloc(100))) =>
  writePng({ width, height, pixel: () => [0, 0, 0], data })

const HEADER_END = 33

const HOSTILE: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  text: Buffer.from('Hello'),
  'a GIF': GIF,
  'a PNG without chunks': declared(1, 1).subarray(0, 8),
  'a PNG without a header': Buffer.concat([
    declared(1, 1).subarray(0, 8),
    declared(1, 1).subarray(HEADER_END),
  ]),
  'a PNG of 60,000 by 60,000': declared(60_000, 60_000, deflateSync(Buffer.alloc(10_000_000))),
  'a PNG with a second header, of 5,000 by 5,000': Buffer.concat([
    declared(1, 1).subarray(0, HEADER_END),
    declared(5_000, 5_000).subarray(8),
  ]),
  'a PNG of no width': declared(0, 10),
  'a PNG with fewer pixels than it declares': declared(4_000, 4_000),
  'a PNG with a text of 18 MB': writePng({
    ...{ width: 1, height: 1, pixel: () => [0, 0, 0] },
    chunks: { tEXt: Buffer.alloc(18_000_000, 'a\0') },
  }),
  'a PNG with a colour profile of 100 MB': writePng({
    ...{ width: 1, height: 1, pixel: () => [0, 0, 0] },
    chunks: { iCCP: Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100_000_000))]) },
  }),
  'a PNG with a wrong filter': declared(1, 1, deflateSync(Buffer.from([9, 0, 0, 0]))),
  'a PNG whose data is not compressed': declared(1, 1, Buffer.from('abcdef')),
  'a JPEG of 65,535 by 65,535': writeScans(65_535, 1),
  'a JPEG without a frame': Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]),
  'a JPEG of padding': Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)]),
  'a WebP without an image': Buffer.from('RIFF\0\0\0\0WEBP'),
  'a WebP of 16,384 by 16,384': Buffer.concat([
    RED_BLUE.losslessWebp.subarray(0, 21),
    Buffer.alloc(4, 0xff),
    RED_BLUE.losslessWebp.subarray(25),
  ]),
}

describe('images that cannot be decoded', () => {
  for (const [name, bytes] of Object.entries(HOSTILE)) {
    it(name, async () => assert.equal(await composeThumbnail(bytes), null))
  }

  it('are cut off anywhere, or have any byte changed: never an error', async () => {
    for (const image of [quarters(9, 7), ...Object.values(RED_BLUE)]) {
      const step = IS_SOAK ? 1 : Math.ceil(image.length / 12)
      for (let at = 0; at < image.length; at += step) {
        await composeThumbnail(image.subarray(0, at))
        const changed = Buffer.from(image)
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
        await composeThumbnail(changed)
      }
    }
  })
})
