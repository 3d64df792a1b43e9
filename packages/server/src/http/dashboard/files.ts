import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { hasOwnFile, listOwnFiles, readBundledFile } from '../../bundled-files.ts'

/** A file of the dashboard, in memory. */
export type PageFile = {
  readonly contentType: string
  /** The bytes in this encoding; compressed once, when they are first requested. */
  bytes(encoding: 'br' | 'gzip' | 'identity'): Promise<Buffer>
}

/** The built dashboard. */
export type DashboardFiles = {
  readonly page: PageFile
  /** By name, which contains the hash of the content. */
  readonly assets: ReadonlyMap<string, PageFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * The best takes 25 times as long and saves 3 KB: the first reader after a start would wait for it.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

/** Where the build is. */
const FOLDER = new URL('../../../../dashboard/dist/', import.meta.url)

/** The folder of the built dashboard; null when it was not built. */
export function findDashboard(): URL | null {
  return hasOwnFile(new URL('index.html', FOLDER)) ? FOLDER : null
}

/** Reads `index.html` and `assets/` of a folder. */
export function readDashboard(folder: URL): DashboardFiles {
  const assets = new URL('assets/', folder)
  const names = listOwnFiles(assets).filter((name) => Object.hasOwn(TYPES, extname(name)))
  return {
    page: readPageFile(new URL('index.html', folder)),
    assets: new Map(names.map((name) => [name, readPageFile(new URL(name, assets))])),
  }
}

function readPageFile(file: URL): PageFile {
  const identity = readBundledFile(file)
  const compressed = new Map<string, Promise<Buffer>>()
  const once = (encoding: string, compress: (bytes: Buffer) => Promise<Buffer>) => {
    const known = compressed.get(encoding) ?? compress(identity)
    compressed.set(encoding, known)
    return known
  }
  return {
    contentType: TYPES[extname(file.pathname)] ?? 'application/octet-stream',
    bytes: async (encoding) => {
      if (encoding === 'br') {
        return once(encoding, (bytes) => promisify(brotliCompress)(bytes, BROTLI))
      }
      return encoding === 'gzip' ? once(encoding, promisify(gzip)) : identity
    },
  }
}
