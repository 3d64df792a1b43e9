import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A mail server that is measured. */
export type Contender = AsyncDisposable & {
  /** With its version, and where a mail is when it is acknowledged. */
  readonly name: string
  readonly port: number
  readonly pid: number
}

/** A program of somebody else's that listens on `port`, from its first greeting to its end. */
export async function startProgram(program: {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly port: number
  /** Its store, deleted afterwards. */
  readonly folder?: string
}): Promise<Contender> {
  const env = { ...process.env, ...program.env }
  const child = spawn(program.command, program.args, { stdio: 'ignore', env })
  await greeting(program.port, child)
  return {
    name: program.name,
    port: program.port,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
      if (program.folder !== undefined) rmSync(program.folder, { recursive: true, force: true })
    },
  }
}

async function greeting(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'data')
      return
    } catch {
      await delay(50)
    } finally {
      socket.destroy()
    }
  }
  throw new Error(`${child.spawnfile} ended before it listened.`)
}
