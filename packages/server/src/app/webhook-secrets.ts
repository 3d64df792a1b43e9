import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { createSecretBox, type SecretBox, withOlderBoxes } from '../platform/secret-box.ts'
import { loadSecretKey, newSecretKey, type SecretKeySource } from '../platform/secret-key.ts'
import type { Tables } from '../store/all-tables.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'

type SecretBoxDeps = {
  readonly config: Config
  readonly log: Pick<Log, 'warn'>
  readonly clock: Clock
  readonly store: Tables
}

/**
 * Seals webhook secrets with the configured key, or else with a generated one, which is stored in a
 * file beside an SQLite store or in PostgreSQL. After a key is configured, the generated one still
 * opens what it sealed.
 */
export async function openSecretBox(deps: SecretBoxDeps): Promise<SecretBox> {
  const { config, store } = deps
  const configured = config.MAYFLY_SECRET_KEY
  const sqlitePath = sqlitePathOf(config.MAYFLY_DATABASE_URL)
  const file = sqlitePath === null ? null : `${sqlitePath}.key`
  if (configured === null) {
    const stored = file === null ? await keyInStore(deps) : null
    return createSecretBox(await readKey({ configured: stored, file }))
  }
  const box = createSecretBox(await readKey({ configured, file: null }))
  const stored = file === null ? await store.secretKeys.find() : null
  const hasGenerated = stored !== null || (file !== null && existsSync(file))
  if (!hasGenerated) return box
  return withOlderBoxes(box, [createSecretBox(await readKey({ configured: stored, file }))])
}

async function keyInStore({ store, clock, log }: SecretBoxDeps): Promise<string> {
  log.warn(
    'MAYFLY_SECRET_KEY is not set: the key that encrypts webhook secrets is stored in the same database',
  )
  return store.secretKeys.addOrFind(newSecretKey(), clock.now())
}

async function readKey(source: SecretKeySource): Promise<Buffer> {
  try {
    return await loadSecretKey(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartRefused(
      `${reason}. Check MAYFLY_SECRET_KEY; openssl rand -base64 32 creates one.`,
    )
  }
}
