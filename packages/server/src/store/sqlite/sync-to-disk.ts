import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs a file, or the names of the files of a folder, so that they survive a power cut. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
