import { fileURLToPath } from 'node:url'
import { freePort } from '../../packages/server/test/testing-free-port.ts'
import { type Contender, startProgram } from './contender.ts'

const PROGRAM = fileURLToPath(new URL('./smtp-sink-program.ts', import.meta.url))

/** The library smtp-server by itself: it stores nothing. */
export async function startSmtpSink(): Promise<Contender> {
  const port = await freePort()
  const args = [PROGRAM, String(port)]
  return startProgram({ name: 'smtp-server sink', command: process.execPath, args, port })
}
