import { type ChildProcess, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { userInfo } from 'node:os'
import { freePort } from './testing-free-port.ts'
import { until } from './testing-until.ts'

/** Records that a zone may have. */
export type PublishedRecords = {
  readonly txt?: Readonly<Record<string, string>>
  /** `HOST PRIORITY` of each domain. */
  readonly mx?: Readonly<Record<string, string>>
}

/** A real DNS server on a port of its own, for as long as it is needed. */
export type DnsServer = AsyncDisposable & {
  /** `host:port`, as MAYFLY_DNS_SERVERS takes it. */
  readonly address: string
  /** Replaces all records. */
  publish(records: PublishedRecords): Promise<void>
  /** Takes it out of reach; `publish` brings it back. */
  stop(): Promise<void>
}

const PROGRAM = process.env['DNSMASQ_PATH'] ?? '/usr/sbin/dnsmasq'

/** Answered while the server runs, so that a test knows when it does. */
const SIGN = 'sign-of-life.example'

/** Starts Debian's dnsmasq, which answers for all of `.example` and knows nothing else. */
export async function startDnsmasq(): Promise<DnsServer> {
  const port = await freePort()
  let child: ChildProcess | null = null
  const stop = async () => {
    if (child === null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    child = null
    await ended
  }
  const publish = async (records: PublishedRecords) => {
    await stop()
    child = spawn(PROGRAM, settings(port, records), { stdio: 'ignore' })
    const failed = once(child, 'error').then(([error]) => Promise.reject(error))
    await Promise.race([failed, isAnswering(port)])
  }
  await publish({})
  return { address: `127.0.0.1:${port}`, publish, stop, [Symbol.asyncDispose]: stop }
}

function settings(port: number, records: PublishedRecords): string[] {
  const { txt = {}, mx = {} } = records
  return [
    ...['--keep-in-foreground', '--conf-file=/dev/null', '--no-resolv', '--no-hosts'],
    ...['--pid-file', '--bind-interfaces', '--listen-address=127.0.0.1', `--port=${port}`],
    ...[`--user=${userInfo().username}`, '--local=/example/', `--txt-record=${SIGN},yes`],
    ...Object.entries(txt).map(([name, value]) => `--txt-record=${name},${value}`),
    ...Object.entries(mx).map(([name, value]) => `--mx-host=${name},${value.replace(' ', ',')}`),
  ]
}

async function isAnswering(port: number): Promise<void> {
  const resolver = new Resolver({ timeout: 200, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  await until(async () => resolver.resolveTxt(SIGN).catch(() => null))
}
