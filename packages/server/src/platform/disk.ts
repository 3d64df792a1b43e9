import { rm, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Less free space than this counts as full: the write-ahead log of SQLite needs some at once. */
const FREE_BYTES_MIN = 4 * 1024 * 1024

const PROBE_BYTES = Buffer.alloc(64 * 1024)

/** Throws unless the disk of this file has free space. */
export async function checkFreeSpace(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path))
  if (bavail * bsize < FREE_BYTES_MIN) {
    throw new Error(`the disk of the database has less than ${FREE_BYTES_MIN} bytes left`)
  }
}

/** Throws unless another file can be written to the folder of this one and synced. */
export async function checkFolder(path: string): Promise<void> {
  const probe = `${path}.probe`
  try {
    await writeFile(probe, PROBE_BYTES, { flush: true, mode: 0o600 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Error(`the disk of the database cannot be written: ${code}`)
  } finally {
    await rm(probe, { force: true })
  }
}
