/** The data of the trace headers. */
export type Trace = {
  readonly mailFrom: string
  readonly helo: string | null
  readonly remoteAddress: string
  readonly by: string
  /** `ESMTP`, `ESMTPS` … */
  readonly protocol: string
  readonly id: string
  /** Null when there are several: recipients must not learn of each other. */
  readonly recipient: string | null
  readonly at: number
}

/** The headers that a final destination adds on top of a mail (RFC 5321, section 4.4). */
export function traceHeaders(trace: Trace): string {
  const from = `${clean(trace.helo ?? 'unknown')} (${literal(trace.remoteAddress)})`
  const recipient = trace.recipient === null ? '' : `\r\n\tfor <${clean(trace.recipient)}>`
  return (
    `Return-Path: <${clean(trace.mailFrom)}>\r\n` +
    `Received: from ${from}\r\n\tby ${trace.by} with ${trace.protocol} id ${trace.id}` +
    `${recipient};\r\n\t${mailDate(trace.at)}\r\n`
  )
}

/** Bytes in which a header of the sender is searched for. */
const SEARCHED_BYTES_MAX = 64 * 1024

const RETURN_PATH = /^return-path:[^\n]*\n(?:[ \t][^\n]*\n)*/im

/** A mail without the first Return-Path that its sender gave it: ours takes its place. */
export function withoutReturnPath(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n')
  const bytes = Math.min(end === -1 ? raw.length : end + 2, SEARCHED_BYTES_MAX)
  const header = raw.toString('latin1', 0, bytes)
  const without = header.replace(RETURN_PATH, '')
  if (without.length === header.length) return raw
  return Buffer.concat([Buffer.from(without, 'latin1'), raw.subarray(bytes)])
}

let written = { second: Number.NaN, date: '' }

/** The date format of mail headers; they write the zone as an offset. */
function mailDate(ms: number): string {
  const second = Math.floor(ms / 1000)
  // Under load many mails arrive in one second, and writing a date is slow.
  if (second !== written.second) {
    written = { second, date: new Date(ms).toUTCString().replace('GMT', '+0000') }
  }
  return written.date
}

/** Removes characters with which a client could end the header that contains its text. */
function clean(text: string): string {
  return text.replace(/[\0-\x1f\x7f()<>]/g, '')
}

function literal(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`
}
