/** Lines of one transcript: the start of a session, and a mail with the most recipients. */
const LINES_MAX = 240

/** Characters of one transcript: it is stored with each mail. */
const CHARACTERS_MAX = 16 * 1024

const TRUNCATED = '(truncated)'

/**
 * The SMTP dialogue of one mail.
 *
 * It consists of the opening (the greeting, and the commands up to the TLS handshake), the last
 * HELO and AUTH, and the mail itself. Commands between two mails belong to neither.
 */
export class Transcript {
  readonly #lines: string[] = []
  #characters = 0
  #opening = { lines: 0, characters: 0 }
  #start = this.#opening

  client(text: string): void {
    this.#add(`C: ${text}`)
  }

  /** Adds a reply, which may have several lines. */
  server(reply: string): void {
    if (reply.includes('\r\n')) {
      for (const line of reply.split('\r\n')) this.#add(`S: ${line}`)
    } else {
      this.#add(`S: ${reply}`)
    }
  }

  /** The lines so far belong to every mail of the session. */
  keepAsOpening(): void {
    this.#opening = { lines: this.#lines.length, characters: this.#characters }
    this.#start = this.#opening
  }

  /** The lines so far belong to every mail until the next HELO. */
  keepAsStart(): void {
    this.#start = { lines: this.#lines.length, characters: this.#characters }
  }

  rewindToOpening(): void {
    this.#start = this.#opening
    this.rewindToStart()
  }

  rewindToStart(): void {
    this.#lines.length = this.#start.lines
    this.#characters = this.#start.characters
  }

  lines(): readonly string[] {
    return this.#lines.slice()
  }

  #add(line: string): void {
    if (this.#lines.at(-1) === TRUNCATED) return
    const isFull =
      this.#lines.length >= LINES_MAX - 1 || this.#characters + line.length > CHARACTERS_MAX
    const added = isFull ? TRUNCATED : line
    this.#lines.push(added)
    this.#characters += added.length
  }
}
