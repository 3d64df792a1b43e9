import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** A file of the dashboard, in memory. */
export type PageFile = {
  readonly contentType: string
  /** The bytes in this encoding; compressed once, when they are first asked for. */
  bytes(encoding: 'br' | 'gzip' | 'identity'): Promise<Buffer>
}

/** The built dashboard. */
export type DashboardFiles = {
  readonly page: PageFile
  /** By name; a name holds the hash of its content. */
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

/** Where the build is: within the published package, or beside this one in the repository. */
const FOLDERS = ['../../dashboard', '../../../../dashboard/dist'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** The folder of the built dashboard; null when it was not built. */
export function findDashboard(): string | null {
  return FOLDERS.find((folder) => existsSync(join(folder, 'index.html'))) ?? null
}

/** Reads `index.html` and `assets/` of a folder. */
export async function readDashboard(folder: string): Promise<DashboardFiles> {
  const assets = join(folder, 'assets')
  const names = (await readdir(assets)).filter((name) => Object.hasOwn(TYPES, extname(name)))
  const files = await Promise.all(
    names.map(async (name) => [name, await readPageFile(join(assets, name))] as const),
  )
  return { page: await readPageFile(join(folder, 'index.html')), assets: new Map(files) }
}

async function readPageFile(path: string): Promise<PageFile> {
  const identity = await readFile(path)
  const compressed = new Map<string, Promise<Buffer>>()
  const once = (encoding: string, compress: (bytes: Buffer) => Promise<Buffer>) => {
    const known = compressed.get(encoding) ?? compress(identity)
    compressed.set(encoding, known)
    return known
  }
  return {
    contentType: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes: async (encoding) => {
      if (encoding === 'br') return once(encoding, promisify(brotliCompress))
      return encoding === 'gzip' ? once(encoding, promisify(gzip)) : identity
    },
  }
}
