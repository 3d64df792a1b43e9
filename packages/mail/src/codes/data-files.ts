// The tables of this folder. They have the same paths in the repository, beside a bundle and inside
// the executable. The only I/O of this package: the tables belong to it as its code does.

import { readdirSync, readFileSync } from 'node:fs'
import { getAsset, getAssetKeys, isSea } from 'node:sea'

const MODEL = new URL('./model.bin', import.meta.url)
const WORDS = new URL('./words/', import.meta.url)

/** The model that bench/fit-codes.ts has written. */
export function readModelFile(): Uint8Array {
  return isSea() ? new Uint8Array(getAsset(MODEL.pathname)) : readFileSync(MODEL)
}

/** The word tables by name: a language, or the languages that a table is for. */
export function readWordFiles(): ReadonlyMap<string, string> {
  const names = isSea() ? namesInExecutable() : readdirSync(WORDS)
  const files = names.filter((name) => name.endsWith('.txt')).sort()
  return new Map(files.map((name) => [name.slice(0, -'.txt'.length), readText(name)]))
}

function namesInExecutable(): readonly string[] {
  const keys = getAssetKeys().filter((path) => path.startsWith(WORDS.pathname))
  return keys.map((path) => path.slice(WORDS.pathname.length))
}

function readText(name: string): string {
  const file = new URL(name, WORDS)
  return isSea() ? getAsset(file.pathname, 'utf8') : readFileSync(file, 'utf8')
}
