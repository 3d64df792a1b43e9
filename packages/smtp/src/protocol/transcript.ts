/** Lines of one transcript: a mail with every recipient it may have, and its session's start. */
const LINES_MAX = 240

/** Characters of one transcript: it is stored beside each mail. */
const CHARACTERS_MAX = 16 * 1024

const CUT = '(the rest is left out)'

/**
 * The dialogue behind one mail, as it went.
 *
 * It begins with the opening (the greeting, and the way into TLS), goes on with the last HELO
 * and AUTH, and ends with the mail itself. What was said between two mails belongs to none.
 */
export class Transcript {
  readonly #lines: string[] = []
  #characters = 0
  #opening = { lines: 0, characters: 0 }
  #start = this.#opening

  client(text: string): void {
    this.#add(`C: ${text}`)
  }

  /** `reply` may have several lines. */
  server(reply: string): void {
    if (reply.includes('\r\n')) {
      for (const line of reply.split('\r\n')) this.#add(`S: ${line}`)
    } else {
      this.#add(`S: ${reply}`)
    }
  }

  /** What stands here so far belongs to every mail of the session. */
  keepAsOpening(): void {
    this.#opening = { lines: this.#lines.length, characters: this.#characters }
    this.#start = this.#opening
  }

  /** What stands here so far belongs to every mail until the next HELO. */
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
    if (this.#lines.at(-1) === CUT) return
    const isFull =
      this.#lines.length >= LINES_MAX - 1 || this.#characters + line.length > CHARACTERS_MAX
    const added = isFull ? CUT : line
    this.#lines.push(added)
    this.#characters += added.length
  }
}
