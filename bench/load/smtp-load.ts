// Sends mail as fast as the server takes it, without pipelining: what smtp-source does.
//
//   node bench/load/smtp-load.ts PORT CONNECTIONS MAILS SIZE_BYTES reuse|fresh

import { connect, type Socket } from 'node:net'

const [port = 0, connections = 20, mails = 5000, sizeBytes = 4000] = process.argv
  .slice(2, 6)
  .map(Number)
const isReused = process.argv[6] !== 'fresh'

const LINE = `${'x'.repeat(76)}\r\n`
const CONTENT = `Subject: load\r\n\r\n${LINE.repeat(Math.ceil(sizeBytes / LINE.length))}.\r\n`
const SCRIPT = [
  'MAIL FROM:<load@example.com>\r\n',
  'RCPT TO:<b@mayfly.test>\r\n',
  'DATA\r\n',
  CONTENT,
]

let sent = 0

await Promise.all(Array.from({ length: connections }, work))

async function work(): Promise<void> {
  while (sent < mails) await session()
}

function session(): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let at = -2
  socket.on('error', reject)
  socket.on('close', () => resolve())
  socket.on('data', (chunk) => {
    const reply = chunk.toString('latin1')
    if (/^[45]/m.test(reply)) reject(new Error(`The server said ${reply}`))
    if (!socket.writableEnded) at = say(socket, at + 1)
  })
  return promise
}

function say(socket: Socket, at: number): number {
  if (at === -1) {
    socket.write('EHLO load.example.com\r\n')
    return at
  }
  const isAtStart = at % SCRIPT.length === 0
  if (isAtStart && (sent >= mails || (at > 0 && !isReused))) {
    socket.end('QUIT\r\n')
    return at
  }
  if (isAtStart) sent += 1
  socket.write(SCRIPT[at % SCRIPT.length] ?? '', 'latin1')
  return at
}
