import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it, mock } from 'node:test'
import { INBOX_TTL_SECONDS } from '@mayfly/contract'
import type { Command } from '../src/command.ts'
import { COMMANDS } from '../src/commands.ts'
import { EXIT } from '../src/exit.ts'
import { openShell } from './testing-run-command.ts'

/** Every command with its name as it is typed. */
function allCommands(commands: readonly Command[], before: readonly string[] = []): string[][] {
  return commands.flatMap(({ name, subcommands }) => {
    const path = [...before, name]
    return [path, ...allCommands(subcommands ?? [], path)]
  })
}

describe('the command line', () => {
  it('lists every command', async () => {
    await using shell = await openShell()
    for (const args of [[], ['--help'], ['-h'], ['help'], ['help', 'help']]) {
      const { code, out } = await shell.run(...args)
      assert.equal(code, 0)
      for (const { name } of COMMANDS) assert.match(out, new RegExp(`^  ${name} `, 'm'))
      for (const status of Object.values(EXIT)) assert.match(out, new RegExp(`[ ,]${status} [a-z]`))
    }
    assert.equal((await shell.run('--version')).out, '1.2.3\n')
  })

  it('names the bounds of the time that an inbox lives, and which URLs a webhook may have', async () => {
    await using shell = await openShell()
    const { min, max, default: usual } = INBOX_TTL_SECONDS
    const created = (await shell.run('inbox', 'new', '--help')).out
    assert.ok(created.includes(`from ${min} to ${max} (default: ${usual})`), created)
    const registered = (await shell.run('webhooks', 'new', '--help')).out
    assert.match(
      registered,
      /https:\/\/\. The local account .* http:\/\/\nto localhost or a loopback/,
    )
  })

  it('says what is wrong with the URL of the service', async () => {
    await using shell = await openShell()
    for (const url of ['foo', 'localhost:8025', 'ftp://127.0.0.1']) {
      const { code, err } = await shell.run('inbox', 'list', '--url', url)
      assert.equal(code, 2)
      assert.equal(
        err,
        `mayfly: "${url}" is not the URL of a service, such as http://127.0.0.1:8025.\n`,
      )
    }
  })

  it('names commands as they are started in a clone of the repository', async () => {
    await using clone = await openShell({ isClone: true })
    assert.match((await clone.run('inbx')).err, /Did you mean `npx mayfly inbox`\?/)
    assert.match((await clone.run('inbox')).err, /^mayfly: `npx mayfly inbox` needs one of/)
    const help = await clone.run('inbox', 'new', '--help')
    assert.match(help.out, /^Usage: npx mayfly inbox new/m)
    assert.match(
      (await clone.run('--help')).out,
      /^ {2}npx mayfly inbox new && .*&& npx mayfly otp$/m,
    )
    await using installed = await openShell()
    assert.doesNotMatch((await installed.run('inbox', 'new', '--help')).out, /npx/)
  })

  it('shows no stack for a bug', async () => {
    await using shell = await openShell()
    const [first] = COMMANDS.filter(({ name }) => name === 'whoami')
    assert.ok(first !== undefined)
    mock.method(first, 'run', async () => {
      throw new TypeError('x is not a function')
    })
    try {
      const { code, err } = await shell.run('whoami')
      assert.equal(code, 1)
      assert.match(
        err,
        /^mayfly: TypeError: x is not a function .*\nThis is a bug in mayfly\..*\n$/,
      )
    } finally {
      mock.restoreAll()
    }
  })

  // The service has a help of its own, which its tests cover.
  for (const path of allCommands(COMMANDS).filter(([first]) => first !== 'serve')) {
    it(`has a help with an example for ${path.join(' ')}`, async () => {
      await using shell = await openShell()
      const { code, out } = await shell.run(...path, '--help')
      assert.equal(code, 0)
      assert.ok(out.startsWith(`mayfly ${path.join(' ')}: `), out)
      assert.equal((await shell.run('help', ...path)).out, out)
      assert.match(out, /^Example:\n {2}\S|^Commands:\n {2}\S/m)
      assert.ok(
        out.split('\n').every((line) => line.length <= 100),
        out,
      )
    })
  }

  const usageErrors: readonly [readonly string[], RegExp][] = [
    [['otpp'], /unknown command "otpp"\. Did you mean `mayfly otp`\?/],
    [['--verison'], /unknown command "--verison"\. Did you mean `mayfly --version`\?/],
    [
      ['--json', 'inbox', 'new'],
      /^mayfly: options follow the command: `mayfly inbox new --json`\.$/m,
    ],
    [['--api-key', 'K', 'whoami'], /options follow the command: `mayfly whoami --api-key`\.$/m],
    [['--api-key=K', 'whoami'], /options follow the command: `mayfly whoami --api-key`\.$/m],
    [['-n', '5', 'messages'], /options follow the command: `mayfly messages -n`\.$/m],
    [['--json'], /options follow the command: `mayfly COMMAND --json`\.$/m],
    [['inbox', '--json', 'new'], /options follow the command: `mayfly inbox new --json`\.$/m],
    [['inbox', '--nonsense'], /unknown command "inbox --nonsense"\. Known commands: new/],
    [['help', 'frobnicate'], /unknown command "frobnicate"/],
    [['send', 'a@b.example', '--eml', '/nonexistent'], /\/nonexistent cannot be read: there is no/],
    [['assert', '--file', '/'], /\/ cannot be read: it is a folder/],
    [['frobnicate'], /unknown command "frobnicate"\.\n\nmayfly: /],
    [['inbox'], /`mayfly inbox` needs one of: new, list, show, rm/],
    [['inbox', 'nwe'], /unknown command "inbox nwe"\. Did you mean `mayfly inbox new`\?/],
    [['inbox', 'frob'], /unknown command "inbox frob"\. Known commands: new, list/],
    [
      ['otp', '--tmeout', '3'],
      /unknown option --tmeout\. Did you mean --timeout\? See `mayfly otp --help`/,
    ],
    [['otp', '--timeout', 'soon'], /--timeout must be a number of seconds, but is "soon"/],
    [['otp', '--timeout=-1'], /--timeout must be a number/],
    [
      ['otp', '--timeout', '-1'],
      /^mayfly: --timeout needs a value; .* --option=-1\. See `mayfly otp/,
    ],
    [['otp', 'one', 'two'], /unexpected argument "two"/],
    [['wait', '--subject', '/(/'], /--subject: Invalid regular expression/],
    [['messages', '-n', '0'], /--limit must be a whole number above 0/],
    [['inbox', 'rm'], /name inboxes, or use --all/],
    [['assert'], /name at least one assertion/],
    [['assert', '--auth', 'x'], /--auth must begin with spf, dkim or dmarc/],
    [
      ['assert', '--auth', 'spf=maybe'],
      /--auth spf= must be pass, fail, softfail, neutral, none, temperror, permerror or policy, but is "maybe"/,
    ],
    [['send', 'not-an-address'], /"not-an-address" is not an email address/],
    [['send', 'a@b.example', '--subject', 'a\nb'], /the subject must be on one line/],
    [
      ['send', 'a@b.example', '--template', 'x'],
      /--template must be otp, link, welcome, or an .html/,
    ],
    [['send', 'a@b.example', '--template', 'otp', '--set', 'x'], /--set must be NAME=VALUE/],
    [
      ['send', 'a@b.example', '--template', 'otp', '--set', 'cod=1'],
      /--set cod: the template has no \{\{cod\}\}\. It has: code\.$/m,
    ],
    [['send', 'a@b.example', '--set', 'code=1'], /--set needs --template\./],
    [['send', 'a@b.example', '--smtp', 'localhost'], /--smtp must be HOST:PORT/],
    [['webhooks', 'listen', '--port', 'x'], /--port must be a port number, but is "x"/],
    [
      ['assert', '--otp', '--subject', '/x/i'],
      /--subject takes a text here, not a regular expression/,
    ],
    [['completions', 'csh'], /SHELL is one of bash, zsh, fish/],
  ]
  for (const [args, message] of usageErrors) {
    it(`refuses "mayfly ${args.join(' ')}" with exit code 2`, async () => {
      await using shell = await openShell()
      const { code, out, err } = await shell.run(...args)
      assert.match(err, message)
      assert.equal(code, 2)
      assert.equal(out, '')
    })
  }
})

describe('completions', () => {
  const complete = async (line: string): Promise<readonly string[]> => {
    await using shell = await openShell()
    const { out } = await shell.run('completions', 'bash')
    const program = `${out}
COMP_WORDS=(${line})
[[ '${line}' == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_mayfly
printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim().split('\n')
  }

  it('complete commands, subcommands and options in bash', async () => {
    assert.deepEqual(await complete('mayfly in'), ['inbox'])
    assert.deepEqual(await complete('mayfly inbox '), ['new', 'list', 'show', 'rm'])
    assert.deepEqual(await complete('mayfly inbox new --t'), ['--ttl'])
    assert.deepEqual(await complete('mayfly otp --json --ti'), ['--timeout'])
    assert.deepEqual(await complete('mayfly webhooks l'), ['listen', 'list'])
  })

  it('name every command for each shell', async () => {
    await using shell = await openShell()
    for (const name of ['bash', 'zsh', 'fish']) {
      const { code, out } = await shell.run('completions', name)
      assert.equal(code, 0)
      for (const path of allCommands(COMMANDS)) {
        assert.ok(out.includes(`'${path.join(' ')}'`), `${name}: ${path.join(' ')}`)
      }
    }
  })

  it('prints the code of an authenticator, of an argument or of standard input', async () => {
    await using shell = await openShell()
    const { code, out } = await shell.run('totp', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    assert.equal(code, 0)
    assert.match(out, /^\d{6}\n$/)
    const piped = shell.start('totp')
    piped.input.end('otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&digits=8\n')
    assert.match((await piped.outcome).out, /^\d{8}\n$/)
    const wrong = await shell.run('totp', 'hunter2018')
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /^mayfly: The secret is not in Base32/)
  })
})
