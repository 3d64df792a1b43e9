// The entry point. Node keeps what it has compiled and stripped of types in its compile cache, and
// the next start takes a quarter of the time; so everything else is loaded after the cache is on.

import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runCli } = await import('./cli.ts')
const { processTerminal } = await import('./terminal.ts')

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
const { version } = JSON.parse(manifest)
process.exitCode = await runCli(process.argv.slice(2), processTerminal(process), String(version))
