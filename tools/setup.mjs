// Installs what a fresh clone lacks, says what it does, and is silent when nothing is missing.
//
// Plain JavaScript for any Node >= 20: it runs before the pinned Node is there.
//   node tools/setup.mjs --start   what `npm start` needs
//   node tools/setup.mjs           all packages
//   node tools/setup.mjs --test    all packages and the programs that the tests start

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const STAMP = join(ROOT, 'node_modules', '.mayfly-setup')

/** Programs that tests start and npm does not have: each at its variable's path, or at `path`. */
const PROGRAMS = [
  { variable: 'CHROMIUM_PATH', path: '/usr/bin/chromium', debian: 'chromium' },
  { variable: 'DNSMASQ_PATH', path: '/usr/sbin/dnsmasq', debian: 'dnsmasq-base' },
  { variable: 'HAPROXY_PATH', path: '/usr/sbin/haproxy', debian: 'haproxy' },
  { variable: 'PGBOUNCER_PATH', path: '/usr/sbin/pgbouncer', debian: 'pgbouncer' },
]
const APT_LOCK_SECONDS_MAX = 300

/** SHA-256 of the pinned Node: an install script fetches it, unverified by the lock file. */
const NODE_SHA256 = JSON.parse(readFileSync(join(ROOT, 'tools', 'node-sha256.json'), 'utf8'))

/** The Python environments of the tests, and the packages in each. */
const PYTHON_ENVIRONMENTS = [
  {
    what: 'schemathesis',
    folder: join(ROOT, 'node_modules', '.mayfly-python'),
    requirements: join(ROOT, 'packages', 'server', 'test', 'openapi', 'requirements.txt'),
  },
  {
    what: 'what tests the Python client',
    folder: join(ROOT, 'node_modules', '.mayfly-python-client'),
    requirements: join(ROOT, 'clients', 'python', 'requirements.txt'),
    // Its source has the tests that the APIs of mail catchers are tried with.
    source: 'pytest-mailpit==0.4.1',
  },
]

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) {
  fail(`Mayfly's scripts need Node 20 or newer to begin with; this is ${process.version}.`)
}

installPackages(process.argv.includes('--start') ? 'start' : 'all')
buildDashboard()
buildProgram()
if (process.argv.includes('--test')) {
  installPrograms()
  for (const environment of PYTHON_ENVIRONMENTS) installPython(environment)
}

/**
 * The stamp holds a hash of what the packages follow from, so that a pull that changes it installs
 * anew, and which packages are there.
 */
function installPackages(wanted) {
  const lock = hashOf(join(ROOT, 'package-lock.json'))
  const pinned = join(ROOT, 'node_modules', '.bin', 'node')
  const [stampedLock, stamped] = existsSync(STAMP) ? readFileSync(STAMP, 'utf8').split(' ') : []
  const packages = stamped === 'all' ? 'all' : wanted
  if (existsSync(pinned) && stampedLock === lock && stamped === packages) return

  say('installing packages, about half a minute the first time')
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  const omitted = packages === 'all' ? ['--include=dev'] : ['--omit=dev']
  // Not `ci`: that refuses where a registry leaves out packages for other systems.
  run(command, [...args, 'install', '--no-save', '--loglevel=error', ...omitted])
  // An install leaves node_modules/.bin/mayfly as it was when only its target has changed.
  run(command, [...args, 'rebuild', 'mayfly', '--ignore-scripts', '--loglevel=error'])
  checkNode(pinned)
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, `${lock} ${packages}`)
}

function checkNode(pinned) {
  const platform = `${process.platform}-${process.arch}`
  const expected = NODE_SHA256[platform]
  if (expected === undefined) {
    say(`the pinned Node was not verified: its SHA-256 for ${platform} is not known`)
  } else {
    const actual = hashOf(pinned)
    if (actual !== expected) {
      fail(
        `node_modules/.bin/node has the SHA-256 ${actual}, not ${expected}. Try: npm rebuild node`,
      )
    }
  }
  const version = execFileSync(pinned, ['--version'], { encoding: 'utf8' }).trim()
  if (!version.startsWith('v26.')) {
    fail(`The pinned Node did not install: node_modules/.bin/node is ${version}. Try: npm rebuild`)
  }
}

function buildDashboard() {
  const dashboard = join(ROOT, 'packages', 'dashboard')
  const sources = [join(dashboard, 'src'), join(ROOT, 'packages', 'client', 'src')]
  const script = join(dashboard, 'build.ts')
  build({ what: 'the dashboard', script, sources, output: join(dashboard, 'dist') })
}

function buildProgram() {
  const packages = ['cli', 'client', 'contract', 'mail', 'pop3', 'server', 'smtp']
  const tools = join(ROOT, 'tools', 'build')
  const sources = [tools, ...packages.map((name) => join(ROOT, 'packages', name, 'src'))]
  const script = join(tools, 'program.ts')
  build({
    what: 'the server and the command line',
    script,
    sources,
    output: join(ROOT, 'dist', 'program'),
  })
}

/**
 * Runs the script unless it ran before. The stamp holds a hash of what the output follows from; its
 * time is when the sources were known to have that hash.
 */
function build({ what, script, sources, output }) {
  const startedAt = new Date()
  const files = [join(ROOT, 'package-lock.json'), script, ...sources.flatMap(filesBelow)]
  const hash = createHash('sha256')
  for (const path of files) hash.update(path.slice(ROOT.length)).update(readFileSync(path))
  const wanted = hash.digest('hex')
  const stamp = join(output, '.stamp')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    say(`building ${what}`)
    run(join(ROOT, 'node_modules', '.bin', 'node'), [script])
    writeFileSync(stamp, wanted)
  }
  utimesSync(stamp, startedAt, startedAt)
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** The browser shows pages, the DNS server answers for custom domains. */
function installPrograms() {
  const missing = PROGRAMS.filter(({ variable, path }) => {
    const set = process.env[variable]
    if (set !== undefined && !existsSync(set)) fail(`${variable} is ${set}; there is no such file.`)
    return set === undefined && !existsSync(path)
  })
  if (missing.length === 0) return
  const list = (key) => missing.map((program) => program[key]).join(' and ')
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    fail(`The tests need ${list('path')}: install ${list('debian')} or set ${list('variable')}.`)
  }
  say(`installing ${list('debian')} from the Debian packages`)
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', ...missing.map(({ debian }) => debian))
}

/** The stamp holds a hash of the requirements, so that a change of them installs anew. */
function installPython({ what, folder, requirements, source }) {
  const stamp = join(folder, '.mayfly-setup')
  const wanted = hashOf(requirements)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say(`installing ${what} into a Python environment, about half a minute`)
  run(findPython(), ['-m', 'venv', '--clear', folder])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  run(join(folder, 'bin', 'python'), [...pip, '--requirement', requirements])
  if (source !== undefined) unpackSource(folder, source)
  writeFileSync(stamp, wanted)
}

/** Unpacks the source of a package into the folder `source` of an environment. */
function unpackSource(folder, requirement) {
  const python = join(folder, 'bin', 'python')
  const download = join(folder, 'download')
  const only = ['--no-deps', '--no-binary', ':all:', '--no-build-isolation']
  const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check']
  run(python, [...pip, ...only, '--dest', download, requirement])
  for (const archive of readdirSync(download)) {
    run(python, ['-m', 'tarfile', '--extract', join(download, archive), join(folder, 'source')])
  }
}

/** A Python that can make environments; Debian has that in a package of its own. */
function findPython() {
  const canMakeOne = (python) => spawnSync(python, ['-c', 'import ensurepip, venv']).status === 0
  const wanted = process.env.PYTHON_PATH ?? 'python3'
  if (canMakeOne(wanted)) return wanted
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    fail(`The tests need Python 3.11 or newer with venv: install python3-venv or set PYTHON_PATH.`)
  }
  say('installing python3-venv from the Debian packages')
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', 'python3', 'python3-venv')
  return '/usr/bin/python3'
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Waits while another apt runs. apt itself waits for one of its three locks only. */
function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const deadline = Date.now() + APT_LOCK_SECONDS_MAX * 1000
  for (;;) {
    const command = ['-o', `DPkg::Lock::Timeout=${APT_LOCK_SECONDS_MAX}`, ...args]
    const options = { env, encoding: 'utf8', stdio: ['ignore', 2, 'pipe'] }
    const result = spawnSync('apt-get', command, options)
    if (result.status === 0) return
    if (!result.stderr.includes('Could not get lock') || Date.now() > deadline) {
      fail(`'apt-get ${args.join(' ')}' failed: ${result.stderr}`)
    }
    say('waiting for another apt to end')
    spawnSync('sleep', ['2'])
  }
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) fail(`'${command} ${args.join(' ')}' failed; its output is above.`)
}

function say(text) {
  process.stderr.write(`mayfly setup: ${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
