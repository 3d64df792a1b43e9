import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One SMTP connection that is kept, for sending single mails without a greeting. */
export class KeptSmtp {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Connects and says EHLO. */
  static async open(port: number): Promise<KeptSmtp> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'data')
    const kept = new KeptSmtp(socket)
    await kept.#say('EHLO bench.example\r\n')
    return kept
  }

  /** Sends a small mail; when its last byte was handed to the system. */
  async send(to: string): Promise<number> {
    await this.#say('MAIL FROM:<bench@example.com>\r\n')
    await this.#say(`RCPT TO:<${to}>\r\n`)
    await this.#say('DATA\r\n')
    const sentAt = performance.now()
    await this.#say(`Subject: bench\r\nTo: ${to}\r\n\r\nYour code is 481516.\r\n.\r\n`)
    return sentAt
  }

  /** Closes the connection. */
  close(): void {
    this.#socket.destroy()
  }

  async #say(text: string): Promise<void> {
    this.#socket.write(text)
    const [reply] = await once(this.#socket, 'data')
    if (!/^[23]/.test(String(reply))) throw new Error(`the server said ${String(reply)}`)
  }
}
