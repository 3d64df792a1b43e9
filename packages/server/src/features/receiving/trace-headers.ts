/** What a Received header tells. */
export type Trace = {
  readonly mailFrom: string
  readonly helo: string | null
  readonly remoteAddress: string
  readonly by: string
  /** `ESMTP`, `ESMTPS` … */
  readonly protocol: string
  readonly id: string
  /** Named only when it is the one recipient: others must not learn of each other. */
  readonly recipient: string | null
  readonly at: number
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The headers that a final destination puts on top of a mail (RFC 5321, section 4.4). */
export function traceHeaders(trace: Trace): string {
  const from = `${clean(trace.helo ?? 'unknown')} (${literal(trace.remoteAddress)})`
  const recipient = trace.recipient === null ? '' : `\r\n\tfor <${clean(trace.recipient)}>`
  return (
    `Return-Path: <${clean(trace.mailFrom)}>\r\n` +
    `Received: from ${from}\r\n\tby ${trace.by} with ${trace.protocol} id ${trace.id}` +
    `${recipient};\r\n\t${mailDate(trace.at)}\r\n`
  )
}

/** A date as mail headers write it, in UTC. */
function mailDate(ms: number): string {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
  return `${day} ${date.getUTCFullYear()} ${time} +0000`
}

/** What a client said of itself must not end the header that repeats it. */
function clean(text: string): string {
  return text.replace(/[\0-\x1f\x7f()<>]/g, '')
}

function literal(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`
}
