// The log for a person at a terminal: one short line instead of a JSON object.

import { stripVTControlCharacters } from 'node:util'

/** Fields of a line that are shown elsewhere in it, or only help programs. */
const HIDDEN = new Set(['level', 'time', 'msg', 'err'])

const NAMED_LEVELS: ReadonlySet<unknown> = new Set(['warn', 'error', 'fatal', 'debug', 'trace'])

/** Longest value of a field that is shown whole. */
const VALUE_LENGTH_MAX = 200

/** The text of a line that pino wrote as JSON; any other line is returned unchanged. */
export function logText(line: string): string {
  const fields = parse(line)
  if (fields === null) return line
  const { level, time, msg, err } = fields
  const name = NAMED_LEVELS.has(level) ? `${level}: ` : ''
  const reason = reasonOf(err)
  const rest = Object.entries(fields)
    .filter(([field]) => !HIDDEN.has(field))
    .map(([field, value]) => `  ${field}=${shown(value)}`)
  const text = `${localTime(time)}  ${name}${shown(msg)}${reason}${rest.join('')}`
  return `${text}\n`
}

/** The line of a stored mail. */
export function storedText(mail: {
  readonly address: string
  readonly subject: string | null
  readonly code: string | null
}): string {
  const subject = mail.subject === null ? 'without a subject' : `"${mail.subject}"`
  return `${mail.address}  ${subject}${mail.code === null ? '' : `  code ${mail.code}`}`
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const fields = JSON.parse(line)
    return typeof fields === 'object' ? fields : null
  } catch {
    return null
  }
}

function reasonOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  // As pino writes an error.
  const { message, stack } = err as { readonly message?: unknown; readonly stack?: unknown }
  return typeof stack === 'string' ? `\n${stack}` : `: ${shown(message)}`
}

function localTime(time: unknown): string {
  return new Date(String(time)).toLocaleTimeString('en-GB', { hour12: false })
}

/** A value as it may be shown: senders choose subjects and addresses. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const plain = stripVTControlCharacters(text).replaceAll(CONTROLS, '\uFFFD')
  return plain.length > VALUE_LENGTH_MAX ? `${plain.slice(0, VALUE_LENGTH_MAX)}…` : plain
}

/** Control characters and signs that change the direction of the text around them. */
const CONTROLS = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
