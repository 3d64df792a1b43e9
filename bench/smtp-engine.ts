// How fast the SMTP server receives mail that is not stored, compared in the same run with a bare
// loop that only answers SMTP commands (the most one thread of Node can do) and with smtp-server.
//
//   node bench/smtp-engine.ts              4 KB mails on 20 connections, about 30 s
//   node bench/smtp-engine.ts serve NAME   one of the three alone, for a profile: --cpu-prof
//
// Load comes from Postfix's smtp-source where it is installed, else from bench/load/smtp-load.ts.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startSmtpServer } from '@mayfly/smtp'
import { SMTPServer } from 'smtp-server'

const SMTP_SOURCE = '/usr/sbin/smtp-source'
const SMTP_LOAD = fileURLToPath(new URL('./load/smtp-load.ts', import.meta.url))
const CONNECTIONS = 20
const SIZE_BYTES = 4000
const ROUNDS = 5

/** Mails per round. Fewer for smtp-server, which waits 100 ms before each greeting. */
const MAILS = {
  reused: { bare: 10_000, engine: 10_000, 'smtp-server': 10_000 },
  fresh: { bare: 3000, engine: 3000, 'smtp-server': 200 },
} as const

type Mode = keyof typeof MAILS
type Subject = keyof (typeof MAILS)['reused']

const SUBJECTS: Readonly<Record<Subject, () => Promise<number>>> = {
  bare: serveBare,
  engine: serveEngine,
  'smtp-server': serveReference,
}

const [command, name] = process.argv.slice(2)
if (command === 'serve') {
  const serve = Object.entries(SUBJECTS).find(([subject]) => subject === name)?.[1]
  if (serve === undefined) throw new Error(`There is no ${name}.`)
  console.log(await serve())
  process.on('SIGTERM', () => process.exit(0))
} else {
  await compare()
}

async function compare(): Promise<void> {
  console.log(`load: ${existsSync(SMTP_SOURCE) ? 'smtp-source' : 'bench/load/smtp-load.ts'}`)
  for (const mode of ['reused', 'fresh'] as const) {
    const rates = await measure(mode)
    console.log(`\n${mode} connections, ${CONNECTIONS} at once, ${SIZE_BYTES} bytes a mail`)
    for (const [subject, rate] of rates) {
      const ratio = ((rates.get('engine') ?? 0) / rate).toFixed(2)
      const figure = rate.toFixed(0).padStart(7)
      console.log(`  ${subject.padEnd(12)} ${figure} mails/s   engine is ${ratio} x`)
    }
  }
}

/** Medians of several rounds, taken in turns so that a slow moment of the machine affects all. */
async function measure(mode: Mode): Promise<ReadonlyMap<Subject, number>> {
  const subjects: readonly Subject[] = ['bare', 'engine', 'smtp-server']
  const rates = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]))
  const servers = new Map<Subject, { child: ChildProcess; port: number }>()
  for (const subject of subjects) servers.set(subject, await spawnServer(subject))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [subject, { port }] of servers) {
      const rate = MAILS[mode][subject] / sendSeconds(mode, port, MAILS[mode][subject])
      if (round > 0) rates.get(subject)?.push(rate)
    }
  }
  for (const { child } of servers.values()) child.kill()
  return new Map([...rates].map(([subject, values]) => [subject, median(values)]))
}

async function spawnServer(subject: Subject): Promise<{ child: ChildProcess; port: number }> {
  const script = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, [script, 'serve', subject], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { child, port: Number(String(line)) }
}

function sendSeconds(mode: Mode, port: number, mails: number): number {
  const startedAt = performance.now()
  const { status } = existsSync(SMTP_SOURCE)
    ? spawnSync(SMTP_SOURCE, sourceArguments(mode, port, mails), { stdio: 'inherit' })
    : spawnSync(
        process.execPath,
        [SMTP_LOAD, ...[port, CONNECTIONS, mails, SIZE_BYTES].map(String), mode],
        { stdio: 'inherit' },
      )
  if (status !== 0) throw new Error(`The load ended with ${status}.`)
  return (performance.now() - startedAt) / 1000
}

function sourceArguments(mode: Mode, port: number, mails: number): readonly string[] {
  return [
    ...(mode === 'reused' ? ['-d'] : []),
    ...['-s', String(CONNECTIONS), '-l', String(SIZE_BYTES), '-m', String(mails)],
    ...['-f', 'a@example.com', '-t', 'b@mayfly.test', `127.0.0.1:${port}`],
  ]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function serveEngine(): Promise<number> {
  const server = await startSmtpServer({
    handler: {
      admit: (address) => ({ state: 'accepted', recipient: { address } }),
      receive: async () => 'stored',
      rejected: () => undefined,
    },
    hostname: 'mx.mayfly.test',
    host: '127.0.0.1',
    port: 0,
    tls: null,
    now: () => performance.now(),
    onError: (error) => console.error(error),
  })
  return server.port
}

async function serveReference(): Promise<number> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, _session, callback) => {
      stream.on('end', () => callback())
      stream.resume()
    },
  })
  return listen(server.server)
}

/** Reads the first letters of a chunk as a command: enough for a client that does not pipeline. */
async function serveBare(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    let isData = false
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const verb = isData ? '' : chunk.toString('latin1', 0, 4)
      if (verb === 'QUIT') socket.end('221 bye\r\n')
      else if (verb === 'DATA') socket.write('354 go\r\n')
      else if (!isData || chunk.includes('\r\n.\r\n')) socket.write('250 ok\r\n')
      isData = verb === 'DATA' || (isData && !chunk.includes('\r\n.\r\n'))
    })
    socket.write('220 bare\r\n')
  })
  return listen(server)
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on a port has an AddressInfo.
  return (server.address() as AddressInfo).port
}
