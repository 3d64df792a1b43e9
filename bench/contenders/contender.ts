import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A mail server that is measured. */
export type Contender = AsyncDisposable & { readonly name: string; readonly port: number }

/** A program of somebody else's that listens on `port`, from its first greeting to its end. */
export async function startProgram(program: {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly port: number
}): Promise<Contender> {
  const child = spawn(program.command, program.args, { stdio: 'ignore' })
  await greeting(program.port, child)
  return {
    name: program.name,
    port: program.port,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A port that nobody has. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
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
