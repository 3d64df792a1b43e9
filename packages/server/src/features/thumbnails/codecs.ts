// The codecs of JPEG, WebP and PNG: MozJPEG, libwebp and Rust's png as WebAssembly. Every image has
// an instance of its own: an image that breaks the memory of its decoder breaks nothing else, and
// the memory is free afterwards.

import type { InitOutput as PngDecoder } from '@jsquash/png/codec/pkg/squoosh_png.js'
import { readPackageFile } from '../../bundled-files.ts'
import { type Raster, UndecodableImage } from './raster.ts'

/**
 * Memory of an instance for JPEG or WebP: the pixels, and the coefficients of a progressive JPEG
 * without subsampling, 6 bytes a pixel.
 */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024

/** The exports of the packages: they create an instance and its interface. */
type Factory<Codec> = (options: {
  readonly noInitialRun: true
  readonly print: () => void
  readonly printErr: () => void
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    onCreated: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports
}) => Promise<Codec>

type DecodedImage = {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/**
 * As Go's encoder, which Mailpit uses: the tables of the standard, chroma of half the size. At 80
 * it writes as many bytes as Go's at 70, and comes closest to its pixels.
 */
const ENCODING = {
  quality: 80,
  baseline: true,
  arithmetic: false,
  progressive: false,
  optimize_coding: true,
  smoothing: 0,
  color_space: 3,
  quant_table: 0,
  trellis_multipass: false,
  trellis_opt_zero: false,
  trellis_opt_table: false,
  trellis_loops: 1,
  auto_subsample: false,
  chroma_subsample: 2,
  separate_chroma_quality: false,
  chroma_quality: 80,
}

const modules = new Map<string, WebAssembly.Module>()

/** Decodes a JPEG, as its pixels are stored. Throws anything when the decoder fails. */
export async function decodeJpegPixels(bytes: Uint8Array): Promise<Raster> {
  type Decoder = { decode(bytes: Uint8Array, isTurned: boolean): DecodedImage | null }
  const { default: create } = await import('@jsquash/jpeg/codec/dec/mozjpeg_dec.js')
  const decoder = await open<Decoder>(create, '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm')
  return toRaster(decoder.decode(bytes, false))
}

/** Decodes a WebP, as its pixels are stored. Throws anything when the decoder fails. */
export async function decodeWebpPixels(bytes: Uint8Array): Promise<Raster> {
  type Decoder = { decode(bytes: Uint8Array): DecodedImage | null }
  const { default: create } = await import('@jsquash/webp/codec/dec/webp_dec.js')
  const decoder = await open<Decoder>(create, '@jsquash/webp/codec/dec/webp_dec.wasm')
  return toRaster(decoder.decode(bytes))
}

/**
 * Decodes a PNG, as its pixels are stored. Throws anything when the decoder fails. The limits for
 * bytes and pixels bound its memory: the worst image takes 300 MiB.
 */
export function decodePngPixels(bytes: Uint8Array): Raster {
  const module = moduleOf('@jsquash/png/codec/pkg/squoosh_png_bg.wasm')
  const images: Raster[] = []
  const takeImage = (...numbers: readonly [number, number, number, number]) => {
    const [start, length, width, height] = numbers
    images.push({ width, height, rgba: new Uint8Array(memory.buffer, start, length) })
  }
  // The script of the package has one instance for all images, which keeps the memory of those that
  // failed. Of what an instance imports, decoding calls one function with the image, and another
  // one with an error.
  const wbg: Record<string, unknown> = {}
  for (const { name } of WebAssembly.Module.imports(module)) {
    wbg[name] = name.startsWith('__wbg_newwithowned') ? takeImage : refuse
  }
  const instance = new WebAssembly.Instance(module, { wbg })
  // The package declares them.
  const decoder = instance.exports as unknown as PngDecoder
  const { memory } = decoder
  const start = decoder.__wbindgen_malloc(bytes.length, 1)
  new Uint8Array(memory.buffer, start, bytes.length).set(bytes)
  decoder.decode(start, bytes.length)
  return images[0] ?? refuse()
}

function refuse(): never {
  throw new UndecodableImage('The decoder refused the image.')
}

function toRaster(decoded: DecodedImage | null): Raster {
  if (decoded === null) refuse()
  const { width, height, data } = decoded
  return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
}

/** Encodes a JPEG. */
export async function encodeJpeg({ width, height, rgba }: Raster): Promise<Uint8Array> {
  type Encoder = {
    encode(rgba: Uint8Array, width: number, height: number, options: typeof ENCODING): Uint8Array
  }
  const { default: create } = await import('@jsquash/jpeg/codec/enc/mozjpeg_enc.js')
  const encoder = await open<Encoder>(create, '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm')
  return new Uint8Array(encoder.encode(rgba, width, height, ENCODING))
}

function moduleOf(file: string): WebAssembly.Module {
  const module = modules.get(file) ?? new WebAssembly.Module(new Uint8Array(readPackageFile(file)))
  modules.set(file, module)
  return module
}

async function open<Codec>(create: unknown, file: string): Promise<Codec> {
  const module = moduleOf(file)
  // The types of the package are those of a browser.
  return (create as Factory<Codec>)({
    noInitialRun: true,
    print: () => {},
    printErr: () => {},
    instantiateWasm: (imports, onCreated) => {
      const instance = new WebAssembly.Instance(module, imports)
      for (const value of Object.values(instance.exports)) {
        if (value instanceof WebAssembly.Memory) boundMemory(value)
      }
      onCreated(instance)
      return instance.exports
    },
  })
}

/** The package grows the memory by this function, and treats an error as memory that is used up. */
function boundMemory(memory: WebAssembly.Memory): void {
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > MEMORY_BYTES_MAX) {
      throw new RangeError('The image needs too much memory.')
    }
    return grow(pages)
  }
}
