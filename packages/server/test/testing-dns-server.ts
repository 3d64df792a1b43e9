import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** What a name server of a test knows about one name. */
export type DnsRecords = {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  readonly TXT?: readonly string[]
  readonly PTR?: readonly string[]
  readonly MX?: readonly { readonly priority: number; readonly exchange: string }[]
  /** Answers every question about the name with this failure, or not at all. */
  readonly fails?: 'SERVFAIL' | 'REFUSED' | 'silence'
  /** Limits `fails` to questions of one type. */
  readonly failsFor?: RecordType
}

type RecordType = 'A' | 'AAAA' | 'PTR' | 'TXT' | 'MX'

/** A name server on the loopback address, of UDP alone. */
export type DnsServer = AsyncDisposable & {
  /** `host:port`, as the configuration takes it. */
  readonly address: string
  /**
   * Sets all that is known about a name; without records the name does not exist. Questions that
   * got silence are answered now.
   */
  readonly set: (name: string, records: DnsRecords | null) => void
  /** Questions so far, as `TYPE name`. */
  readonly questions: readonly string[]
}

const TYPES: Readonly<Record<number, RecordType>> = {
  1: 'A',
  12: 'PTR',
  15: 'MX',
  16: 'TXT',
  28: 'AAAA',
}
const CODES = { found: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

/** Starts a name server that knows nothing yet: every name is NXDOMAIN. */
export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<string, DnsRecords>()
  const questions: string[] = []
  const unanswered: (() => void)[] = []
  const socket = createSocket('udp4')

  socket.on('message', (query, peer) => {
    const { name, type, question } = readQuestion(query)
    questions.push(`${TYPES[type] ?? type} ${name}`)
    const respond = () => {
      const records = names.get(name)
      const code = responseCode(records, type)
      if (code === 'silence') return unanswered.push(respond)
      const answers = code === CODES.found && records ? answerData(records, type) : []
      return socket.send(
        answerTo(query, { question, type, code, answers }),
        peer.port,
        peer.address,
      )
    }
    respond()
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set(name, records) {
      if (records === null) names.delete(name)
      else names.set(name, records)
      for (const respond of unanswered.splice(0)) respond()
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function answerTo(
  query: Buffer,
  reply: {
    readonly question: Buffer
    readonly type: number
    readonly code: number
    readonly answers: readonly Buffer[]
  },
): Buffer {
  const { question, type, code, answers } = reply
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // An answer (0x80), recursion desired and available.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers.length, 6)
  const sections = answers.map((data) => {
    const record = Buffer.alloc(12)
    // A pointer to the name in the question.
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, question, ...sections])
}

function responseCode(records: DnsRecords | undefined, type: number): number | 'silence' {
  if (records === undefined) return CODES.NXDOMAIN
  const { fails, failsFor = TYPES[type] } = records
  if (fails === undefined || failsFor !== TYPES[type]) return CODES.found
  return fails === 'silence' ? 'silence' : CODES[fails]
}

function answerData(records: DnsRecords, type: number): Buffer[] {
  switch (TYPES[type]) {
    case 'A':
      return (records.A ?? []).map((address) => Buffer.from(address.split('.').map(Number)))
    case 'AAAA':
      return (records.AAAA ?? []).map(ipv6Bytes)
    case 'PTR':
      return (records.PTR ?? []).map(nameBytes)
    case 'TXT':
      return (records.TXT ?? []).map(textStrings)
    case 'MX':
      return (records.MX ?? []).map(({ priority, exchange }) =>
        Buffer.concat([Buffer.of(priority >> 8, priority & 0xff), nameBytes(exchange)]),
      )
    default:
      return []
  }
}

/** The first question of a query, its name in lower case: clients vary case to be hard to forge. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  }
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([...labels.map(lengthPrefixed), Buffer.of(0)])
}

/** A TXT value as strings of at most 255 bytes each, as DKIM keys have to be cut. */
function textStrings(text: string): Buffer {
  const strings = text.match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(strings.map(lengthPrefixed))
}

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  const hex = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0'))
  return Buffer.from(hex.join(''), 'hex')
}
