import type { FaultRule } from '@mayfly/client'
import type { Faults } from '@mayfly/client/internal'
import { type Command, defineCommand, defineGroup } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { UsageError } from '../exit.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { parseCount, parseSeconds } from '../option-values.ts'
import { formatTable, print, printJson, utcTime } from '../output.ts'
import type { Terminal } from '../terminal.ts'

const PHASES = ['authentication', 'sender', 'recipient', 'data', 'api'] as const

const INBOX = 'INBOX is an id or an address; default: the newest inbox.'

const set = defineCommand({
  name: 'faults set',
  summary: 'make an inbox refuse mail',
  args: ['[INBOX]'],
  about: `${INBOX} Replaces earlier rules.\nThe inbox refuses all mail until the rule ends, unless --times or --probability is given.`,
  options: {
    phase: {
      type: 'string',
      value: 'PHASE',
      about: 'authentication, sender, recipient, data or api (default: recipient)',
    },
    code: {
      type: 'string',
      value: 'CODE',
      about: 'SMTP code, or status of api, from 400 to 599 (default: 451; of api 500)',
    },
    text: { type: 'string', value: 'TEXT', about: 'text of the reply, after the code' },
    times: { type: 'string', value: 'COUNT', about: 'refuse only this many' },
    probability: { type: 'string', value: 'PERCENT', about: 'refuse each with this probability' },
    expires: { type: 'string', value: 'SECONDS', about: 'when the rule ends (default: 3600)' },
    ...CONNECTION_OPTIONS,
  },
  example: 'mayfly faults set --code 451 --times 2',
  run: async ({ options, args: [named], terminal }) => {
    const count = (name: 'times' | 'probability') => {
      const given = options[name]
      return given === undefined ? undefined : parseCount(name, given)
    }
    const rule: FaultRule = {
      ...parseReply(options.phase ?? 'recipient', options.code),
      text: options.text,
      times: count('times'),
      probability: count('probability'),
    }
    const expiresInSeconds =
      options.expires === undefined ? undefined : parseSeconds('expires', options.expires)
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, named, signal)
    const faults = await inbox.setFaults([rule], { expiresInSeconds, signal })
    if (options.json) return printJson(terminal, faults)
    showFaults(terminal, inbox.emailAddress, faults)
  },
})

const show = defineCommand({
  name: 'faults show',
  summary: 'show the fault rules of an inbox',
  args: ['[INBOX]'],
  about: INBOX,
  options: CONNECTION_OPTIONS,
  example: 'mayfly faults show signup@mayfly.test',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    const faults = await inbox.readFaults({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, faults)
    showFaults(terminal, inbox.emailAddress, faults)
  },
})

const clear = defineCommand({
  name: 'faults clear',
  summary: 'delete the fault rules of an inbox',
  args: ['[INBOX]'],
  about: INBOX,
  options: { url: CONNECTION_OPTIONS.url, 'api-key': CONNECTION_OPTIONS['api-key'] },
  example: 'mayfly faults clear',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    await inbox.deleteFaults({ signal: terminal.interrupted })
    print(terminal, `${inbox.emailAddress} accepts mail again.`)
  },
})

/** Lets inboxes refuse mail. */
export const faults: Command = defineGroup('faults', 'make an inbox refuse mail', [
  set,
  show,
  clear,
])

function parseReply(text: string, code: string | undefined) {
  const phase = PHASES.find((known) => known === text)
  if (phase === 'api') return { phase, status: parseCount('code', code ?? '500') }
  if (phase !== undefined) return { phase, code: parseCount('code', code ?? '451') }
  throw new UsageError(
    `--phase must be authentication, sender, recipient, data or api, but is "${text}".`,
  )
}

function showFaults(terminal: Terminal, address: string, { rules, expiresAt }: Faults): void {
  if (expiresAt === null) {
    terminal.err(`${address} has no fault rules.\n`)
    return
  }
  const rows = rules.map(({ phase, code, status, text, timesLeft, probability }) => [
    phase,
    `${code ?? status ?? 'delayed'} ${text}`,
    probability === null ? String(timesLeft ?? 'all') : `${probability} %`,
  ])
  print(terminal, formatTable(terminal, ['phase', 'reply', 'refuses'], rows))
  terminal.err(`Until ${utcTime(expiresAt)}.\n`)
}
