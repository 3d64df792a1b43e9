import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KEY_BYTES } from './secret-box.ts'

/** Where the encryption key is read from. */
export type SecretKeySource = {
  /** The key in base64 or hex; takes precedence over the file. */
  readonly configured: string | null
  /** File of a generated key; null where none may be generated: on several nodes. */
  readonly file: string | null
}

/**
 * The key that encrypts secrets: the configured one, or the one in the file, which is created when
 * missing. Throws a message for the operator that never contains the key.
 */
export async function loadSecretKey({ configured, file }: SecretKeySource): Promise<Buffer> {
  if (configured !== null) return parseKey(configured, 'The secret key')
  if (file === null) throw new Error('A secret key must be configured: all nodes share it')
  const text = (await readIfExists(file)) ?? (await createKeyFile(file))
  return parseKey(text, `The secret key in ${file}`)
}

/** A new key in base64. */
export function newSecretKey(): string {
  return randomBytes(KEY_BYTES).toString('base64')
}

function parseKey(text: string, name: string): Buffer {
  const trimmed = text.trim()
  const isHex = /^[0-9a-f]{64}$/i.test(trimmed)
  const isBase64 = /^[\w+/-]{43}=?$/.test(trimmed)
  if (!isHex && !isBase64) throw new Error(`${name} is not ${KEY_BYTES} bytes in base64 or hex`)
  // 'base64' decodes the URL-safe alphabet too.
  return Buffer.from(trimmed, isHex ? 'hex' : 'base64')
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/**
 * Creates the file and returns its content: the key of another process if that was first.
 *
 * Written under a temporary name and then linked, which fails if the file exists: no reader ever
 * sees a partial key, not even after a crash. The directory is synced so that secrets cannot
 * outlive the key that decrypts them.
 */
async function createKeyFile(file: string): Promise<string> {
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
