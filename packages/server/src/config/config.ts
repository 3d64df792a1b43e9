import { nearestName } from '@mayfly/contract'
import type { z } from 'zod'
import { StartRefused } from '../errors.ts'
import { SETTINGS, type Setting } from './settings.ts'

/** The value of every setting. */
export type Config = {
  readonly [Name in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Name]['schema']>
}

/** The configuration from the process's environment. */
export function loadConfig(): Config {
  const config = parseConfig(process.env)
  if (config.MAYFLY_LOG_FORMAT !== 'auto') return config
  return { ...config, MAYFLY_LOG_FORMAT: process.stdout.isTTY ? 'text' : 'json' }
}

/** Reads every setting; the first that is unknown or malformed throws. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const names = Object.keys(SETTINGS)
  for (const name of Object.keys(env)) {
    if (!name.startsWith('MAYFLY_') || names.includes(name)) continue
    // Read by the client, and often set in the same shell.
    if (name === 'MAYFLY_API_KEY') continue
    const nearest = nearestName(name, names)
    const hint =
      nearest === null ? '`mayfly serve --help` lists them all.' : `Did you mean ${nearest}?`
    throw new StartRefused(`${name} is not a setting. ${hint}`)
  }
  const isCatchAll = (env['MAYFLY_CATCH_ALL'] ?? 'off') !== 'off'
  const values = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const { schema, default: unset, ofCatchAll = unset, isSecret = false } = setting
    const value = env[name] ?? (isCatchAll ? ofCatchAll : unset)
    const parsed = schema.safeParse(value)
    if (parsed.success) return [name, parsed.data]
    const rule = parsed.error.issues[0]?.message ?? 'is malformed'
    throw new StartRefused(`${name} ${rule}${isSecret ? '' : `, but is ${JSON.stringify(value)}`}.`)
  })
  // Built from the same table that the type is made of.
  return Object.fromEntries(values) as Config
}
