/** One command line, cut into its verb and the rest. */
export type Command = {
  /** In capitals. */
  readonly verb: string
  /** All behind the verb, without the blanks around it. */
  readonly argument: string
}

const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/
const NON_ASCII = /[^\x00-\x7f]/

/**
 * The text of a line given as one character a byte: UTF-8 undone.
 *
 * Null when it is no UTF-8, or has a control character other than the tab: a NUL or a lone CR
 * in a command is an attack or a broken client, and would go on into logs and headers.
 */
export function decodeLine(bytes: string): string | null {
  if (CONTROL.test(bytes)) return null
  if (!NON_ASCII.test(bytes)) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bytes, 'latin1'),
    )
  } catch {
    return null
  }
}

/** Blanks at the end are dropped: RFC 5321 asks for that. */
export function parseCommand(line: string): Command {
  const space = line.search(/[ \t]/)
  if (space === -1) return { verb: line.toUpperCase(), argument: '' }
  return { verb: line.slice(0, space).toUpperCase(), argument: line.slice(space + 1).trim() }
}

/** The line as a transcript may show it: no secret, nothing that moves a terminal's cursor. */
export function shownLine(line: string): string {
  const auth = /^\s*AUTH\b(?:\s+([A-Za-z0-9-]+))?(.*)/i.exec(line)
  if (auth === null) return line.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  return ['AUTH', auth[1], auth[2] === '' ? undefined : '<hidden>']
    .filter((word) => word !== undefined)
    .join(' ')
}
