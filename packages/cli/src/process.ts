import { readFileSync } from 'node:fs'
import { runCli } from './cli.ts'
import { processTerminal } from './terminal.ts'

/** Runs the command line of this process. */
export async function runProcess(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2), processTerminal(process), version())
}

/** The version of this package, and the commit that it was built from. */
function version(): string {
  const file = new URL('../package.json', import.meta.url)
  // Not imported: the first versions of Node 20 do not have it.
  const sea = process.getBuiltinModule?.('node:sea')
  const manifest = sea?.isSea() ? sea.getAsset(file.pathname, 'utf8') : readFileSync(file, 'utf8')
  const { version, commit } = JSON.parse(manifest)
  return commit ? `${version} (${commit})` : String(version)
}
