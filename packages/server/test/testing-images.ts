// Images for tests, written by the rules of their formats. The decoders are not used here.

import { crc32, deflateSync } from 'node:zlib'

/** What a PNG is written from. */
export type PngOptions = {
  readonly width: number
  readonly height: number
  /** A byte for each sample of a pixel: 1 for grey, 3 for colours, one more with alpha. */
  readonly pixel: (x: number, y: number) => readonly number[]
  /** Chunks between the header and the pixels, by their names. */
  readonly chunks?: Readonly<Record<string, Uint8Array>>
  /** Instead of the compressed rows. */
  readonly data?: Buffer
}

/** A PNG whose rows are not filtered. */
export function writePng(options: PngOptions): Buffer {
  const { width, height, pixel, chunks = {} } = options
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, [0, 0, 4, 2, 6][pixel(0, 0).length] ?? 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...Object.entries(chunks).map(([name, body]) => pngChunk(name, body)),
    pngChunk('IDAT', options.data ?? deflateSync(pngRows(options))),
    pngChunk('IEND', new Uint8Array()),
  ])
}

function pngChunk(name: string, body: Uint8Array): Buffer {
  const chunk = Buffer.alloc(body.length + 12)
  chunk.writeUInt32BE(body.length, 0)
  chunk.write(name, 4, 'latin1')
  chunk.set(body, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), body.length + 8)
  return chunk
}

function pngRows({ width, height, pixel }: PngOptions): Buffer {
  const samples: number[] = []
  for (let y = 0; y < height; y += 1) {
    samples.push(0)
    for (let x = 0; x < width; x += 1) samples.push(...pixel(x, y))
  }
  return Buffer.from(samples)
}

/** Images of 48 by 32 pixels, the left half red and the right half blue. */
export const RED_BLUE = {
  interlacedPaletteOf2BitsPng: Buffer.from(
    [
      'iVBORw0KGgoAAAANSUhEUgAAADAAAAAgAgMAAAFevSMZAAAACVBMVEUAAADcHh4eHtzEFROBAAAAaklEQVR4nM2O',
      'uw2AMAxEX36jICFlE6o0pmA6ak+JHEcK6SmofL57PpnzTnUL55GBl85SWgSQS1NNu01DTJsfpLTFExFVDQJiV32z',
      'sOdQIfq2ImOMLC/IuPsUMRN/wCM8dcCZ2bT0zdYfFTwy0znP1e7lPAAAAABJRU5ErkJggg==',
    ].join(''),
    'base64',
  ),
  coloursOf16BitsPng: Buffer.from(
    [
      'iVBORw0KGgoAAAANSUhEUgAAADAAAAAgEAIAAACLJrAIAAAAn0lEQVR4nO3UPQ3EQAxEYd9PvwwWTIiEQTiFSJAE',
      'zBVXrFKNXI0tvVdYLqf64r7nnLPO9S943tf/iTJtW8R1uVes3u4B1fscxxhjuGeszjNi390rVl/3gPK5EQTpZCDd',
      'LJAWgbTKjSBIJwPpZoG0CKRVbgRBOhlINwukRSCtciMI0slAulkgLQJplRtBkE4G0s0CaRFIq9wIgnSyakj/AK5p',
      'D0tFtMMoAAAAAElFTkSuQmCC',
    ].join(''),
    'base64',
  ),
  progressiveJpeg: Buffer.from(
    [
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsj',
      'HBYWICwgIyYnKSopGR8tMC0oMCUoKSgBBwcHCggKEwoKEygaFhooKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo',
      'KCgoKCgoKCgoKCgoKCgoKCgoKCgoKP/CABEIACAAMAMBEQACEQEDEQH/xAAqAAEBAAAAAAAAAAAAAAAAAAAABgEB',
      'AQEBAAAAAAAAAAAAAAAAAAcIBv/aAAwDAQACEAMQAAAAiOatoEjpKAgV2bb8BI6SgIFdm2/ASOkoCBXZtvwEjpKA',
      'gf/EABQQAQAAAAAAAAAAAAAAAAAAAED/2gAIAQEAAT8AR//EABQRAQAAAAAAAAAAAAAAAAAAAED/2gAIAQIBAT8A',
      'R//EABQRAQAAAAAAAAAAAAAAAAAAAED/2gAIAQMBAT8AR//Z',
    ].join(''),
    'base64',
  ),
  lossyWebp: Buffer.from(
    [
      'UklGRmAAAABXRUJQVlA4IFQAAADwAwCdASowACAAPm0skkWkIqGYBABABsSgC+CY3+AfiBpgADx7KMWAAP7vJ/kj',
      'inPUKxH/7nA/7nA/jr+pv/9OpLVV/x9uPef66W0is5s/cbIAAAA=',
    ].join(''),
    'base64',
  ),
  losslessWebp: Buffer.from(
    'UklGRioAAABXRUJQVlA4TB0AAAAvL8AHAA8wHvfwvRD3/EcLxILJ/KUz6I7of1Q4BwA=',
    'base64',
  ),
} as const

/** A GIF of one pixel. */
export const GIF = Buffer.from('R0lGODlhAQABAIAAANweHgAAACwAAAAAAQABAAACAkQBADs=', 'base64')

/** EXIF data with an orientation, in either order of bytes. */
export function writeExif(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const entry = [0x0112, 3, 0, 1, orientation, 0]
  const shorts = [42, 0, 8, 1, ...entry, 0, 0]
  const body = shorts.flatMap((value) => [value >> 8, value & 255])
  if (order === 'MM') return Buffer.from([0x4d, 0x4d, ...body])
  // Of the numbers of four bytes, all of which are small, the halves change places, too.
  const little = [42, 8, 0, 1, 0x0112, 3, 1, 0, orientation, 0, 0, 0].flatMap((value) => [
    value & 255,
    value >> 8,
  ])
  return Buffer.from([0x49, 0x49, ...little])
}

/** A JPEG with EXIF data. */
export function withExif(jpeg: Uint8Array, exif: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0'), exif])
  const length = body.length + 2
  const marker = Buffer.from([0xff, 0xe1, length >> 8, length & 255])
  return Buffer.concat([jpeg.subarray(0, 2), marker, body, jpeg.subarray(2)])
}

/** A progressive JPEG of this size whose scans have no data: each is work for all blocks. */
export function writeScans(size: number, scans: number): Buffer {
  const segment = (marker: number, body: readonly number[]) => [
    ...[0xff, marker],
    ...[(body.length + 2) >> 8, (body.length + 2) & 255],
    ...body,
  ]
  const [high, low] = [size >> 8, size & 255]
  const header = [
    ...[0xff, 0xd8],
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    ...segment(0xc2, [8, high, low, high, low, 1, 1, 0x11, 0]),
    // One code of one bit, for each of the two kinds of coefficients.
    ...segment(0xc4, [0x00, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    ...segment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    ...segment(0xda, [1, 1, 0, 0, 0, 0]),
  ]
  const scan = Buffer.from(segment(0xda, [1, 1, 0, 1, 63, 0]))
  const all = Array.from({ length: scans }, () => scan)
  return Buffer.concat([Buffer.from(header), ...all, Buffer.from([0xff, 0xd9])])
}
