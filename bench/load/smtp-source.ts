import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A load of mail, as Postfix's smtp-source makes it. */
export type Load = {
  readonly port: number
  readonly connections: number
  readonly mails: number
  readonly sizeBytes: number
  /** Whether a connection carries one mail after the other. */
  readonly isReused: boolean
  /** Mail number 7 goes to the local part with 7 before it. */
  readonly recipient: string
}

/** The command of a load, without host and port. */
export function smtpSourceArgs(load: Omit<Load, 'port'>): string[] {
  return [
    ...(load.isReused ? ['-d'] : []),
    ...['-s', String(load.connections), '-l', String(load.sizeBytes), '-m', String(load.mails)],
    ...['-N', '-f', 'load@example.com', '-t', load.recipient],
  ]
}

/** Sends a load and returns the mails a second; throws when one mail is not taken. */
export async function runSmtpSource(load: Load): Promise<number> {
  const startedAt = performance.now()
  const child = spawn('smtp-source', [...smtpSourceArgs(load), `127.0.0.1:${load.port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  // Rejects, so that the contenders are stopped.
  const [status] = await once(child, 'close').catch(() => {
    throw new Error('smtp-source is missing: it comes with the Debian package postfix.')
  })
  const seconds = (performance.now() - startedAt) / 1000
  if (status !== 0) throw new Error(`smtp-source ended with ${status}: ${complaint}`)
  return load.mails / seconds
}
