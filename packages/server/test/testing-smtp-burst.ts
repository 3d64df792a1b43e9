import { connect } from 'node:net'

/** What a client of a burst sends. */
type Burst = {
  readonly port: number
  /** Where the mails go, in turns. */
  readonly addresses: readonly string[]
  /** What their subjects begin with; a number follows. */
  readonly name: string
  /** Called when a mail is acknowledged. */
  readonly onTaken: () => void
}

const TEXT = 'hello world '.repeat(200)

/**
 * Sends one mail after the other over one connection, as fast as possible, until the connection
 * breaks; the subjects that were acknowledged.
 */
export function sendUntilClosed({
  port,
  addresses,
  name,
  onTaken,
}: Burst): Promise<readonly string[]> {
  const acknowledged: string[] = []
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  let count = 0
  let step = 0
  const steps = [
    () => 'MAIL FROM:<app@example.com>',
    () => `RCPT TO:<${addresses[count % addresses.length]}>`,
    () => 'DATA',
    () => `Subject: ${name} ${count}\r\n\r\n${TEXT}\r\n.`,
  ]
  let reply = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    reply += chunk
    if (!reply.endsWith('\r\n')) return
    const isTaken = reply.startsWith('250')
    reply = ''
    // The greeting comes first, and ends no mail.
    if (step === steps.length) {
      if (isTaken) {
        acknowledged.push(`${name} ${count}`)
        onTaken()
      }
      count += 1
      step = 0
    }
    const isGreeting = count === 0 && step === 0 && acknowledged.length === 0 && !isTaken
    socket.write(isGreeting ? 'HELO client.example\r\n' : `${steps[step++]?.()}\r\n`)
  })
  return new Promise((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve(acknowledged))
  })
}
