import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KEY_BYTES } from './secret-box.ts'

/** Where the key comes from. */
export type SecretKeySource = {
  /** The key in base64 or hex; wins over the file. */
  readonly configured: string | null
  /** Where a key is kept that nobody configured; null where none may be made: on several nodes. */
  readonly file: string | null
}

/**
 * The key that secrets are sealed with: the configured one, or the one in the file, which is made
 * first when it is not there. Throws a line for the operator, without the key in it.
 */
export async function loadSecretKey({ configured, file }: SecretKeySource): Promise<Buffer> {
  if (configured !== null) return parseKey(configured, 'The secret key')
  if (file === null) throw new Error('A secret key must be configured: it is shared by all nodes')
  const text = (await readIfThere(file)) ?? (await makeKeyFile(file))
  return parseKey(text, `The secret key in ${file}`)
}

/** A new key, as it is configured. */
export function newSecretKey(): string {
  return randomBytes(KEY_BYTES).toString('base64')
}

function parseKey(text: string, name: string): Buffer {
  const trimmed = text.trim()
  const isHex = /^[0-9a-f]{64}$/i.test(trimmed)
  const isBase64 = /^[\w+/-]{43}=?$/.test(trimmed)
  if (!isHex && !isBase64) throw new Error(`${name} is not ${KEY_BYTES} bytes in base64 or hex`)
  // Buffer reads both alphabets of base64.
  return Buffer.from(trimmed, isHex ? 'hex' : 'base64')
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/**
 * Makes the file and answers what is in it: the key of another process if that was first.
 *
 * Written whole under another name and then linked, which fails if the file is there: nobody ever
 * sees half a key, and a crash leaves none. The directory is synced so that secrets cannot outlive
 * the key that opens them.
 */
async function makeKeyFile(file: string): Promise<string> {
  const text = `${newSecretKey()}\n`
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await mkdir(dirname(file), { recursive: true })
  await writeSynced(draft, text)
  try {
    await link(draft, file)
    await syncDirectory(dirname(file))
    return text
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return await readFile(file, 'utf8')
    throw error
  } finally {
    await unlink(draft)
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(text)
  await handle.sync()
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory)
  await handle.sync()
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
