#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { runCli } from './cli.ts'
import type { Terminal } from './terminal.ts'

const { env, stdout, stderr } = process

/** Asked for first by whoever can be interrupted: the service has signals of its own. */
let interruption: AbortController | null = null

const terminal: Terminal = {
  env,
  isInteractive: stderr.isTTY === true,
  isOutTerminal: stdout.isTTY === true,
  hasColour: hasColour(),
  get interrupted() {
    if (interruption === null) {
      const controller = new AbortController()
      process.once('SIGINT', () => controller.abort())
      process.once('SIGTERM', () => controller.abort())
      interruption = controller
    }
    return interruption.signal
  },
  out: (text) => stdout.write(text),
  err: (text) => stderr.write(text),
}

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
const { version } = JSON.parse(manifest)
process.exitCode = await runCli(process.argv.slice(2), terminal, String(version))

/** By the customs of NO_COLOR and FORCE_COLOR. */
function hasColour(): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return stdout.isTTY === true && env['TERM'] !== 'dumb'
}
