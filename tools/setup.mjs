// Installs what a fresh clone lacks, says what it does, and is silent when nothing is missing.
//
// Plain JavaScript for any Node >= 20: it runs before the pinned Node is there.
//   node tools/setup.mjs          what `npm start` needs
//   node tools/setup.mjs --test   what `npm test` needs as well: a browser, a DNS server

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const STAMP = join(ROOT, 'node_modules', '.mayfly-setup')
const DNS_SERVERS = ['/usr/sbin/dnsmasq', '/usr/bin/dnsmasq', '/opt/homebrew/sbin/dnsmasq']
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) {
  fail(`Mayfly's scripts need Node 20 or newer to begin with; this is ${process.version}.`)
}

installPackages()
if (process.argv.includes('--test')) {
  installBrowser()
  installDnsServer()
}

/**
 * The stamp holds a hash of what the packages follow from, so that a pull that changes it installs
 * anew.
 */
function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
  const pinned = join(ROOT, 'node_modules', '.bin', 'node')
  if (existsSync(STAMP) && existsSync(pinned) && readFileSync(STAMP, 'utf8') === wanted) return

  say('installing packages, about half a minute the first time')
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  // Not `ci`: that refuses where a registry leaves out packages for other systems.
  run(command, [...args, 'install', '--no-save', '--loglevel=error'])
  const version = execFileSync(pinned, ['--version'], { encoding: 'utf8' }).trim()
  if (!version.startsWith('v26.')) {
    fail(`The pinned Node did not install: node_modules/.bin/node is ${version}. Try: npm rebuild`)
  }
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, wanted)
}

/** The dashboard is tested in a real browser; MAYFLY tests find it at its usual places. */
function installBrowser() {
  if (process.env.CHROMIUM_PATH || BROWSERS.some((path) => existsSync(path))) return
  installDebian('chromium', 'Chromium. Install it, or set CHROMIUM_PATH to the program.')
}

/** Custom domains are tested against a real DNS server. */
function installDnsServer() {
  if (DNS_SERVERS.some((path) => existsSync(path))) return
  installDebian('dnsmasq-base', 'dnsmasq, the program alone. Install it.')
}

function installDebian(name, need) {
  const isRoot = process.getuid?.() === 0
  if (!existsSync('/usr/bin/apt-get') || !isRoot) fail(`The tests need ${need}`)
  say(`installing ${name} from the Debian packages`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update', '-qq'], environment)
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], environment)
}

function run(command, args, env = process.env) {
  const result = spawnSync(command, args, { cwd: ROOT, env, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) fail(`'${command} ${args.join(' ')}' failed; its output is above.`)
}

function say(text) {
  process.stderr.write(`mayfly setup: ${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
