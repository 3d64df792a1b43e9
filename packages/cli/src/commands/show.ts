import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Inbox, Message } from '@mayfly/client'
import { openBrowser } from '../browser.ts'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { CommandFailed } from '../exit.ts'
import { chooseInbox, INBOX_OPTION, ofMessage } from '../inbox-choice.ts'
import { print, printable, printJson } from '../output.ts'
import { showMessage } from '../show-message.ts'
import type { Terminal } from '../terminal.ts'

/** Shows a message in the terminal or in the browser. */
export const show = defineCommand({
  name: 'show',
  summary: 'show a message, in the terminal or with --html in the browser',
  args: ['[MESSAGE]'],
  about: 'MESSAGE is an id, as listed by `mayfly messages`; default: the newest message.',
  options: {
    inbox: INBOX_OPTION,
    html: { type: 'boolean', about: 'show its HTML in the browser' },
    raw: { type: 'boolean', about: 'print the raw mail' },
    ...CONNECTION_OPTIONS,
  },
  example: 'mayfly show --inbox signup@mayfly.test --html',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, options.inbox, signal)
    const messageId = named ?? (await newestMessageId(inbox, signal))
    const choice = { inbox, named: options.inbox }
    if (options.raw) {
      const bytes = await ofMessage(inbox.readRaw(messageId, { signal }), choice)
      // A mail may contain control sequences for the terminal; a file gets the bytes unchanged.
      const shown = terminal.isOutTerminal ? printable(new TextDecoder().decode(bytes)) : bytes
      return terminal.out(shown)
    }
    const message = await ofMessage(inbox.readMessage(messageId, { signal }), choice)
    if (options.json) return printJson(terminal, message)
    if (options.html) return showInBrowser(terminal, message)
    showMessage(terminal, message)
  },
})

async function newestMessageId(inbox: Inbox, signal: AbortSignal): Promise<string> {
  const { messages } = await inbox.listMessages({ limit: 1, signal })
  const [newest] = messages
  if (newest !== undefined) return newest.id
  throw new CommandFailed(`no message has arrived at ${inbox.emailAddress} yet.`)
}

/** A second barrier: the service has already sanitised the HTML. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

async function showInBrowser(terminal: Terminal, message: Message): Promise<void> {
  if (message.html === null) throw new CommandFailed('this message has no HTML part.')
  const file = join(await mkdtemp(join(tmpdir(), 'mayfly-')), 'message.html')
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`
  await writeFile(file, `<!doctype html>${head}\n${message.html}`, { mode: 0o600 })
  print(terminal, file)
  await openBrowser(terminal, file)
}
