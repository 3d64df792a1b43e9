import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Terminal } from './terminal.ts'

/** Opens a file or a URL in the browser; prints a notice when none can be started. */
export async function openBrowser(terminal: Terminal, target: string): Promise<void> {
  const [command, ...args] = browserCommand(terminal, target)
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.unref()
  await once(child, 'spawn').catch(() => {
    terminal.err(`No browser could be started (${command}).\n`)
  })
}

function browserCommand({ env }: Terminal, target: string): readonly [string, ...string[]] {
  const chosen = env['BROWSER']
  if (chosen !== undefined && chosen !== '') return [chosen, target]
  if (process.platform === 'darwin') return ['open', target]
  return process.platform === 'win32' ? ['explorer', target] : ['xdg-open', target]
}
