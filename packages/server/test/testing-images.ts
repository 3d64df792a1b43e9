// Images for tests, written by the rules of their formats. The decoders are not used here.

import { crc32, deflateSync } from 'node:zlib'

/** What a PNG is written from. */
export type PngOptions = {
  readonly width: number
  readonly height: number
  readonly colour: 0 | 2 | 3 | 4 | 6
  readonly depth: 1 | 2 | 4 | 8 | 16
  readonly isInterlaced?: boolean
  /** The samples of a pixel. */
  readonly pixel: (x: number, y: number) => readonly number[]
  /** Chunks between the header and the pixels, by their names. */
  readonly chunks?: Readonly<Record<string, readonly number[]>>
  /** Instead of the compressed rows. */
  readonly data?: Buffer
}

/** Left, top and distances of the pixels of each pass of an interlaced PNG. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** A PNG whose rows have all five filters in turn. */
export function writePng(options: PngOptions): Buffer {
  const { width, height, colour, depth, isInterlaced = false, chunks = {} } = options
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, isInterlaced ? 1 : 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...Object.entries(chunks).map(([name, body]) => pngChunk(name, Buffer.from(body))),
    pngChunk('IDAT', options.data ?? deflateSync(pngRows(options))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(name: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(body.length + 12)
  chunk.writeUInt32BE(body.length, 0)
  chunk.write(name, 4, 'latin1')
  body.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), body.length + 8)
  return chunk
}

function pngRows({ width, height, depth, isInterlaced = false, pixel }: PngOptions): Buffer {
  const passes = isInterlaced ? ADAM7 : [[0, 0, 1, 1] as const]
  const written: Buffer[] = []
  for (const [left, top, across, down] of passes) {
    let above: Buffer | null = null
    for (let y = top; y < height; y += down) {
      const samples: number[] = []
      for (let x = left; x < width; x += across) samples.push(...pixel(x, y))
      if (samples.length === 0) continue
      const row = packSamples(samples, depth)
      const pixelBytes = Math.max(1, (pixel(0, 0).length * depth) >> 3)
      written.push(filterRow(row, above ?? Buffer.alloc(row.length), { filter: y % 5, pixelBytes }))
      above = row
    }
  }
  return Buffer.concat(written)
}

function packSamples(samples: readonly number[], depth: number): Buffer {
  const bits = samples.map((sample) => sample.toString(2).padStart(depth, '0')).join('')
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

function filterRow(
  row: Buffer,
  above: Buffer,
  { filter, pixelBytes }: { readonly filter: number; readonly pixelBytes: number },
): Buffer {
  const filtered = [...row].map((byte, index) => {
    const left = row[index - pixelBytes] ?? 0
    const up = above[index] ?? 0
    const corner = above[index - pixelBytes] ?? 0
    const nearest = [left, up, corner].toSorted(
      (a, b) => Math.abs(left + up - corner - a) - Math.abs(left + up - corner - b),
    )[0]
    return byte - ([0, left, up, (left + up) >> 1, nearest][filter] ?? 0)
  })
  return Buffer.from([filter, ...filtered])
}

/** What a GIF is written from. */
export type GifOptions = {
  readonly width: number
  readonly height: number
  /** Colours, 16 of them. */
  readonly palette: readonly (readonly [number, number, number])[]
  /** The colour of a pixel. */
  readonly pixel: (x: number, y: number) => number
  readonly clear?: number
  readonly isInterlaced?: boolean
  readonly frames?: number
}

const GIF_BITS = 4

/** A GIF of 16 colours. */
export function writeGif(options: GifOptions): Buffer {
  const { width, height, palette, clear, isInterlaced = false, frames = 1 } = options
  const frame = Buffer.concat([
    ...(clear === undefined ? [] : [Buffer.from([0x21, 0xf9, 4, 1, 0, 0, clear, 0])]),
    Buffer.from([0x2c, 0, 0, 0, 0, ...short(width), ...short(height), isInterlaced ? 0x40 : 0]),
    Buffer.from([GIF_BITS]),
    ...inBlocks(compress(gifIndexes(options))),
  ])
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([...short(width), ...short(height), 0x80 | (GIF_BITS - 1), 0, 0]),
    Buffer.from(palette.flat()),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ])
}

function short(value: number): readonly [number, number] {
  return [value & 255, value >> 8]
}

function gifIndexes({ width, height, pixel, isInterlaced = false }: GifOptions): number[] {
  const passes = isInterlaced
    ? ([
        [0, 8],
        [4, 8],
        [2, 4],
        [1, 2],
      ] as const)
    : ([[0, 1]] as const)
  const indexes: number[] = []
  for (const [top, down] of passes) {
    for (let y = top; y < height; y += down) {
      for (let x = 0; x < width; x += 1) indexes.push(pixel(x, y))
    }
  }
  return indexes
}

/** LZW: a table of the runs that were seen, which is cleared when it is full. */
function compress(indexes: readonly number[]): Buffer {
  const clearCode = 1 << GIF_BITS
  let table = new Map<string, number>()
  let codeBits = GIF_BITS + 1
  let bits = ''
  const write = (code: number) => {
    bits = code.toString(2).padStart(codeBits, '0') + bits
  }
  const codeOf = (run: string) => (run.length === 1 ? run.charCodeAt(0) : (table.get(run) ?? -1))
  write(clearCode)
  let run = ''
  for (const index of indexes) {
    const longer = run + String.fromCharCode(index)
    if (codeOf(longer) !== -1) {
      run = longer
      continue
    }
    write(codeOf(run))
    const code = clearCode + 2 + table.size
    table.set(longer, code)
    if (code === 1 << codeBits) codeBits += 1
    if (code === 4095) {
      write(clearCode)
      table = new Map()
      codeBits = GIF_BITS + 1
    }
    run = String.fromCharCode(index)
  }
  write(codeOf(run))
  write(clearCode + 1)
  const bytes = bits.padStart(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []
  return Buffer.from(bytes.reverse().map((byte) => Number.parseInt(byte, 2)))
}

function inBlocks(data: Buffer): Buffer[] {
  const blocks: Buffer[] = []
  for (let start = 0; start < data.length; start += 255) {
    const block = data.subarray(start, start + 255)
    blocks.push(Buffer.from([block.length]), block)
  }
  return [...blocks, Buffer.from([0])]
}

/** Images of 48 by 32 pixels, the left half red and the right half blue, by MozJPEG and libwebp. */
export const RED_BLUE = {
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

/** EXIF data with an orientation, in either order of bytes. */
export function writeExif(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const entry = [0x0112, 3, 0, 1, orientation, 0]
  const shorts = [42, 0, 8, 1, ...entry, 0, 0]
  const body = shorts.flatMap((value) => [value >> 8, value & 255])
  if (order === 'MM') return Buffer.from([0x4d, 0x4d, ...body])
  // Of the numbers of four bytes, all of which are small, the halves change places, too.
  const little = [42, 8, 0, 1, 0x0112, 3, 1, 0, orientation, 0, 0, 0].flatMap(short)
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
  const [low, high] = short(size)
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
