import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createAuthority } from './testing-certificates.ts'

const NGINX = process.env['NGINX_PATH'] ?? '/usr/sbin/nginx'
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so'

const DEPLOY = new URL('../../../deploy/', import.meta.url)

/** Where the nodes and the proxy of one test are: loopback addresses of its own. */
export type ProxyAddresses = { readonly proxy: string; readonly nodes: readonly string[] }

/** A running proxy. */
export type RunningProxy = AsyncDisposable & {
  readonly httpUrl: string
  readonly smtpPort: number
}

/**
 * Whether there is an nginx that can pass SMTP on; in Debian that is a package of its own. Its
 * package starts a web server on port 80, so setup does not install it.
 */
export const hasNginx = existsSync(NGINX) && hasStream()

function hasStream(): boolean {
  const { stderr } = spawnSync(NGINX, ['-V'], { encoding: 'utf8' })
  return existsSync(STREAM_MODULE) || /--with-stream\s/.test(stderr)
}

/** Starts HAProxy with the configuration of the repository. */
export async function startHaproxy({ proxy, nodes }: ProxyAddresses): Promise<RunningProxy> {
  const [NODE1 = '', NODE2 = '', NODE3 = ''] = nodes
  const child = spawnHaproxy('haproxy/haproxy.cfg', { BIND: proxy, NODE1, NODE2, NODE3 })
  return { httpUrl: `http://${proxy}:8025`, smtpPort: 1025, ...disposal(child) }
}

/** HAProxy in front of two cells, and its commands. */
export type CellsProxy = RunningProxy & {
  /** Sends a command to its socket, as an operator does; the answer. */
  command(text: string): Promise<string>
}

/** Starts HAProxy in front of two cells of one node; SMTP of the second is on the next port. */
export async function startCellsProxy({ proxy, nodes }: ProxyAddresses): Promise<CellsProxy> {
  const [C1_NODE1 = '', C2_NODE1 = ''] = nodes
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-haproxy-'))
  const SOCKET = join(folder, 'haproxy.sock')
  const child = spawnHaproxy('cells/haproxy.cfg', { BIND: proxy, C1_NODE1, C2_NODE1, SOCKET })
  const { [Symbol.asyncDispose]: stop } = disposal(child)
  return {
    httpUrl: `http://${proxy}:8025`,
    smtpPort: 1025,
    command: async (command) => {
      const socket = connect(SOCKET)
      socket.end(`${command}\n`)
      return text(socket)
    },
    [Symbol.asyncDispose]: async () => {
      await stop()
      await rm(folder, { recursive: true })
    },
  }
}

function spawnHaproxy(config: string, env: Readonly<Record<string, string>>): ChildProcess {
  const program = process.env['HAPROXY_PATH'] ?? '/usr/sbin/haproxy'
  return spawn(program, ['-f', new URL(config, DEPLOY).pathname], { env, stdio: 'ignore' })
}

/** Starts nginx with the configuration of the repository and a certificate of its own. */
export async function startNginx({ proxy, nodes }: ProxyAddresses): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-nginx-'))
  await mkdir(join(folder, 'temp'))
  const authority = createAuthority()
  const { cert, key } = authority.issue([proxy])
  await writeFile(join(folder, 'fullchain.pem'), cert)
  await writeFile(join(folder, 'privkey.pem'), key)
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, authority.pem])
  const adapt = async (file: string) => {
    const text = await readFile(new URL(`nginx/${file}`, DEPLOY), 'utf8')
    return text
      .replace(/node(\d):/g, (_, number) => `${nodes[number - 1]}:`)
      .replace('listen 443', `listen ${proxy}:8443`)
      .replace('listen 25', `listen ${proxy}:1025`)
      .replaceAll('/etc/letsencrypt/live/mayfly.example.com/', `${folder}/`)
  }
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = `daemon off; error_log stderr crit; pid ${folder}/pid;
${loadModule(STREAM_MODULE)}
events { }
http { access_log off; ${temps.map((name) => `${name}_temp_path ${folder}/temp/${name};`).join(' ')}
${await adapt('mayfly-http.conf')} }
stream { ${await adapt('mayfly-stream.conf')} }`
  await writeFile(join(folder, 'nginx.conf'), config)
  const child = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { [Symbol.asyncDispose]: stop } = disposal(child)
  return {
    httpUrl: `https://${proxy}:8443`,
    smtpPort: 1025,
    [Symbol.asyncDispose]: async () => {
      await stop()
      setDefaultCACertificates(trusted)
      await rm(folder, { recursive: true })
    },
  }
}

/** Debian has modules in files of their own; elsewhere they may be part of the program. */
function loadModule(file: string): string {
  return existsSync(file) ? `load_module ${file};` : ''
}

function disposal(child: ChildProcess): AsyncDisposable {
  const ended = once(child, 'exit')
  return {
    [Symbol.asyncDispose]: async () => {
      // nginx ends its workers, which would otherwise live on.
      child.kill('SIGTERM')
      await ended
    },
  }
}
