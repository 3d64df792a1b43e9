import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { defineCommand } from '../command.ts'
import { addressOf, composeMail } from '../compose-mail.ts'
import { Misuse } from '../exit.ts'
import { contentTypeOf } from '../file-types.ts'
import { chooseInbox } from '../inbox-choice.ts'
import type { AttachedFile } from '../mail-parts.ts'
import { connect, SERVICE_OPTIONS, type ServiceChoice, serviceUrl } from '../service.ts'
import { sendBySmtp } from '../smtp-send.ts'
import { fillTemplate, loadTemplate, TEMPLATE_NAMES } from '../templates.ts'
import { print, printJson, type Terminal } from '../terminal.ts'

const SEND_OPTIONS = {
  from: { type: 'string', value: 'ADDRESS', about: 'the sender (Example App <app@example.com>)' },
  subject: { type: 'string', value: 'TEXT', about: 'the subject' },
  text: { type: 'string', value: 'TEXT', about: 'the text' },
  html: { type: 'string', value: 'HTML', about: 'the HTML part' },
  attach: { type: 'string', multiple: true, value: 'FILE', about: 'a file to attach; may repeat' },
  template: {
    type: 'string',
    value: 'NAME',
    about: `${TEMPLATE_NAMES.join(', ')}, or an .html or .txt file with {{places}}`,
  },
  set: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    about: 'fills a place of the template; may repeat',
  },
  eml: { type: 'string', value: 'FILE', about: 'a whole mail, sent as it is' },
  smtp: {
    type: 'string',
    value: 'HOST:PORT',
    about: 'the mail server (MAYFLY_SMTP_HOST and _PORT, else port 1025 of the service)',
  },
  ...SERVICE_OPTIONS,
} as const

/** Sends a test mail by SMTP. */
export const send = defineCommand({
  name: 'send',
  summary: 'send a test mail by SMTP',
  args: ['[TO…]'],
  about: 'TO are addresses; your newest inbox when left out.',
  options: SEND_OPTIONS,
  example: 'mayfly send --template otp --set code=481516 --attach terms.pdf',
  run: async ({ options, args, terminal }) => {
    const from = options.from ?? 'Example App <app@example.com>'
    const to = args.length > 0 ? args : [await newestAddress(terminal, options)]
    const mail =
      options.eml === undefined
        ? await composed({ ...options, from, to })
        : await readFile(options.eml)
    const server = await mailServer(terminal, options)
    const reply = await sendBySmtp({
      ...server,
      from: addressOf(from),
      to: to.map(addressOf),
      mail,
      signal: terminal.interrupted,
    })
    if (options.json) return printJson(terminal, { to, reply })
    print(terminal, `Sent to ${to.join(', ')}: ${reply}`)
  },
})

async function newestAddress(terminal: Terminal, choice: ServiceChoice): Promise<string> {
  const client = await connect(terminal, choice)
  return (await chooseInbox(client, undefined, terminal.interrupted)).emailAddress
}

type Written = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string | undefined
  readonly text: string | undefined
  readonly html: string | undefined
  readonly attach: readonly string[]
  readonly template: string | undefined
  readonly set: readonly string[]
}

async function composed(written: Written): Promise<Uint8Array> {
  const { from, to } = written
  const template =
    written.template === undefined
      ? { subject: 'A test mail', text: written.html === undefined ? 'Hello.' : null, html: null }
      : fillTemplate(await loadTemplate(written.template), settings(written.set))
  return composeMail({
    from,
    to,
    subject: written.subject ?? template.subject,
    text: written.text ?? template.text,
    html: written.html ?? template.html,
    files: await Promise.all(written.attach.map(readAttachment)),
    date: new Date(),
  })
}

async function readAttachment(path: string): Promise<AttachedFile> {
  const filename = basename(path)
  return { filename, contentType: contentTypeOf(filename), bytes: await readFile(path) }
}

function settings(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((pair) => {
      const [, name, value] = /^([\w-]+)=(.*)$/s.exec(pair) ?? []
      if (name === undefined) throw new Misuse(`--set must be NAME=VALUE, but is "${pair}".`)
      return [name, value ?? '']
    }),
  )
}

async function mailServer(
  terminal: Terminal,
  options: { readonly smtp: string | undefined; readonly url: string | undefined },
): Promise<{ readonly host: string; readonly port: number }> {
  if (options.smtp !== undefined) {
    const [, host, port] = /^(?:\[?(.+?)\]?:)?(\d{1,5})$/.exec(options.smtp) ?? []
    if (port === undefined) throw new Misuse('--smtp must be HOST:PORT, such as localhost:1025.')
    return { host: host ?? '127.0.0.1', port: Number(port) }
  }
  const { hostname } = new URL(await serviceUrl(terminal, options))
  const host = terminal.env['MAYFLY_SMTP_HOST'] || hostname.replace(/^\[|\]$/g, '')
  return { host, port: Number(terminal.env['MAYFLY_SMTP_PORT'] || 1025) }
}
