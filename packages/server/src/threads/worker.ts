import { basename, parse } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Starts a thread from its file. The executable has no files: it has a bundle for each thread. */
export function startThread(file: URL, options: WorkerOptions): Worker {
  if (!isSea()) return new Worker(file, { ...options, name: basename(file.pathname) })
  const { name } = parse(file.pathname)
  return new Worker(getAsset('/boot.js', 'utf8'), { ...options, name, eval: true })
}
