import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { readService } from '@mayfly/client/internal'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, type ConnectionChoice, connect, serviceUrl } from '../connection.ts'
import { UsageError } from '../exit.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { print, printJson } from '../output.ts'
import { type MailServer, type OutgoingMail, parseAddress, sendMail } from '../send-mail.ts'
import { fillTemplate, loadTemplate, TEMPLATE_NAMES } from '../templates.ts'
import type { Terminal } from '../terminal.ts'

const SEND_OPTIONS = {
  from: {
    type: 'string',
    value: 'ADDRESS',
    about: 'the sender (default: Example App <app@example.com>)',
  },
  subject: { type: 'string', value: 'TEXT', about: 'the subject' },
  text: { type: 'string', value: 'TEXT', about: 'the text part' },
  html: { type: 'string', value: 'HTML', about: 'the HTML part' },
  attach: { type: 'string', multiple: true, value: 'FILE', about: 'a file to attach; may repeat' },
  template: {
    type: 'string',
    value: 'NAME',
    about: `${TEMPLATE_NAMES.join(', ')}, or an .html or .txt file with {{placeholders}}`,
  },
  set: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    about: 'the value of a placeholder in the template; may repeat',
  },
  eml: { type: 'string', value: 'FILE', about: 'a complete mail, sent unchanged' },
  smtp: {
    type: 'string',
    value: 'HOST:PORT',
    about: 'SMTP server (default: MAYFLY_SMTP_HOST and _PORT, then that of the service)',
  },
  ...CONNECTION_OPTIONS,
} as const

/** Where `mayfly serve` receives mail by default. */
const SMTP_PORT = 1025

/** Sends a test mail by SMTP. */
export const send = defineCommand({
  name: 'send',
  summary: 'send a test mail by SMTP',
  args: ['[TO…]'],
  about: 'TO are addresses; default: your newest inbox.',
  options: SEND_OPTIONS,
  example: 'mayfly send --template otp --set code=481516 --attach terms.pdf',
  run: async ({ options, args, terminal }) => {
    const from = parseAddress(options.from ?? 'Example App <app@example.com>')
    const to = args.length > 0 ? args : [await newestAddress(terminal, options)]
    const recipients = to.map(parseAddress)
    const content =
      options.eml === undefined
        ? { from, to: recipients, ...(await compose(options)) }
        : { raw: await readFile(options.eml) }
    const envelope = { from: from.address, to: recipients.map(({ address }) => address) }
    const server = await mailServer(terminal, options)
    const reply = await sendMail(server, { ...content, envelope }, terminal.interrupted)
    if (options.json) return printJson(terminal, { to, reply })
    print(terminal, `Sent to ${to.join(', ')}: ${reply}`)
  },
})

async function newestAddress(terminal: Terminal, choice: ConnectionChoice): Promise<string> {
  const client = await connect(terminal, choice)
  return (await chooseInbox(client, undefined, terminal.interrupted)).emailAddress
}

type ContentOptions = {
  readonly subject: string | undefined
  readonly text: string | undefined
  readonly html: string | undefined
  readonly attach: readonly string[]
  readonly template: string | undefined
  readonly set: readonly string[]
}

async function compose(options: ContentOptions): Promise<Omit<OutgoingMail, 'envelope'>> {
  if (options.template === undefined && options.set.length > 0) {
    throw new UsageError('--set needs --template.')
  }
  const template =
    options.template === undefined
      ? { subject: 'A test mail', text: options.html === undefined ? 'Hello.' : null, html: null }
      : fillTemplate(await loadTemplate(options.template), parseSettings(options.set))
  const subject = options.subject ?? template.subject
  if (/[\r\n]/.test(subject)) throw new UsageError('the subject must be on one line.')
  const text = options.text ?? template.text
  const html = options.html ?? template.html
  return {
    subject,
    ...(text === null ? {} : { text }),
    ...(html === null ? {} : { html }),
    attachments: await Promise.all(
      options.attach.map(async (path) => ({
        filename: basename(path),
        content: await readFile(path),
      })),
    ),
  }
}

function parseSettings(settings: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^([\w-]+)=(.*)$/s.exec(setting) ?? []
      if (name === undefined) throw new UsageError(`--set must be NAME=VALUE, but is "${setting}".`)
      return [name, value ?? '']
    }),
  )
}

async function mailServer(
  terminal: Terminal,
  options: { readonly smtp: string | undefined; readonly url: string | undefined },
): Promise<MailServer> {
  if (options.smtp !== undefined) {
    const [, host, port] = /^(?:\[?(.+?)\]?:)?(\d{1,5})$/.exec(options.smtp) ?? []
    if (port === undefined)
      throw new UsageError('--smtp must be HOST:PORT, such as localhost:1025.')
    return { host: host ?? '127.0.0.1', port: Number(port) }
  }
  const baseUrl = await serviceUrl(terminal, options)
  const { hostname } = new URL(baseUrl)
  const host = terminal.env['MAYFLY_SMTP_HOST'] || hostname.replace(/^\[|\]$/g, '')
  const port = terminal.env['MAYFLY_SMTP_PORT'] || (await servicePort(baseUrl, terminal))
  return { host, port: Number(port) }
}

/** The service's SMTP port; the default one when the service does not respond. */
async function servicePort(baseUrl: string, { interrupted: signal }: Terminal): Promise<number> {
  try {
    return (await readService({ baseUrl, signal })).smtp.port
  } catch {
    return SMTP_PORT
  }
}
