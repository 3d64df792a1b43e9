import { beginAuth } from './auth.ts'
import { beginChunk, beginData } from './content.ts'
import type { Dialogue } from './dialogue.ts'
import { parseRecipient, parseSender } from './envelope.ts'
import type { Step } from './interface.ts'
import { ehloReply, heloReply } from './replies.ts'

/** Longest host name in HELO that is accepted: a domain, or an address in brackets. */
const HELO_LENGTH_MAX = 255

/** HTTP methods: a web page must not be able to make a browser send mail. */
const HTTP_METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '))

/** Commands that begin something that belongs into the transcript of the next mail. */
const TRANSCRIPT_BEGINNINGS = new Set(['MAIL', 'AUTH', 'STARTTLS'])

const CONTROL_CHARACTER = /[\x00-\x08\x0a-\x1f\x7f]/
const NON_ASCII = /[^\x00-\x7f]/

/** Executes one command line, which has one character per byte. */
export function readCommand<R>(dialogue: Dialogue<R>, line: string): Step<R> | null {
  const { transcript, mail } = dialogue
  const text = decodeLine(line)
  if (text === null) {
    transcript.client(printableLine(line))
    return dialogue.fail('badCharacters')
  }
  const { verb, argument } = parseCommand(text)
  // Drops the commands since the last mail: they belong to no mail.
  if (verb === 'EHLO' || verb === 'HELO') transcript.rewindToOpening()
  else if (mail === null && TRANSCRIPT_BEGINNINGS.has(verb)) transcript.rewindToStart()
  transcript.client(printableLine(text))
  return execute(dialogue, verb, argument)
}

/**
 * Decodes a line of one character per byte as UTF-8.
 *
 * Null when it is not valid UTF-8, or has a control character other than the tab: a NUL or a bare
 * CR in a command comes from an attack or a broken client, and would end up in logs and headers.
 */
function decodeLine(bytes: string): string | null {
  if (CONTROL_CHARACTER.test(bytes)) return null
  if (!NON_ASCII.test(bytes)) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bytes, 'latin1'),
    )
  } catch {
    return null
  }
}

/** The verb in capitals, and the argument without surrounding white space (RFC 5321, 4.1.1). */
function parseCommand(line: string): { readonly verb: string; readonly argument: string } {
  const space = line.search(/[ \t]/)
  if (space === -1) return { verb: line.toUpperCase(), argument: '' }
  return { verb: line.slice(0, space).toUpperCase(), argument: line.slice(space + 1).trim() }
}

/** The line for the transcript: without credentials and control characters. */
function printableLine(line: string): string {
  const auth = /^\s*AUTH\b(?:\s+([A-Za-z0-9-]+))?(.*)/i.exec(line)
  if (auth === null) return line.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  return ['AUTH', auth[1], auth[2] === '' ? undefined : '<hidden>']
    .filter((word) => word !== undefined)
    .join(' ')
}

function execute<R>(dialogue: Dialogue<R>, verb: string, argument: string): Step<R> | null {
  switch (verb) {
    case 'MAIL':
      return mail(dialogue, argument)
    case 'RCPT':
      return recipient(dialogue, argument)
    case 'DATA':
      return beginData(dialogue, argument)
    case 'BDAT':
      return beginChunk(dialogue, argument)
    case 'EHLO':
    case 'HELO':
      return hello(dialogue, argument, verb === 'EHLO')
    case 'RSET':
      return reset(dialogue, argument)
    case 'QUIT':
      return argument === '' ? dialogue.close('goodbye') : dialogue.fail('noArguments')
    case 'STARTTLS':
      return startTls(dialogue, argument)
    case 'AUTH':
      return beginAuth(dialogue, argument)
    case 'NOOP':
      return dialogue.reply('ok')
    case 'HELP':
      return dialogue.reply('help')
    case 'VRFY':
      return argument === '' ? dialogue.fail('needsArgument') : dialogue.reply('cannotVerify')
    case 'EXPN':
      return dialogue.fail('notOffered')
    default:
      return HTTP_METHODS.has(verb) ? dialogue.close('notHttp') : dialogue.fail('unknownCommand')
  }
}

function hello<R>(dialogue: Dialogue<R>, name: string, isExtended: boolean): null {
  const { options, transcript } = dialogue
  if (name === '' || name.length > HELO_LENGTH_MAX || /\s/.test(name)) {
    return dialogue.fail('needsHostName')
  }
  dialogue.helo = { name, isExtended }
  dialogue.mail = null
  dialogue.isMailRefused = false
  const offer = {
    hostname: options.hostname,
    messageBytesMax: options.messageBytesMax,
    tls: options.offersTls && !dialogue.isSecure,
    auth: options.offersAuth,
  }
  dialogue.replyText(isExtended ? ehloReply(offer) : heloReply(options.hostname))
  transcript.keepAsStart()
  return null
}

function mail<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  const { helo, options } = dialogue
  if (helo === null) return dialogue.fail('helloFirst')
  if (dialogue.mail !== null) return dialogue.fail('mailAlready')
  const sender = parseSender(argument, {
    messageBytesMax: options.messageBytesMax,
    isExtended: helo.isExtended,
    isAuthOffered: options.offersAuth,
  })
  dialogue.isMailRefused = !sender.ok
  if (!sender.ok) {
    return sender.reply === 'tooLarge' ? dialogue.reply('tooLarge') : dialogue.fail(sender.reply)
  }
  const { address, declaredSizeBytes, smtpUtf8 } = sender.value
  dialogue.mail = {
    mailFrom: address,
    declaredSizeBytes,
    smtpUtf8,
    recipients: [],
    hasRefusedRecipient: false,
    rejection: null,
    content: null,
  }
  if (!options.asksSender) return dialogue.reply('senderOk')
  dialogue.state = { name: 'asking_sender' }
  return { kind: 'sender', transaction: dialogue.mail }
}

function recipient<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  const { helo, mail, options } = dialogue
  if (mail === null) {
    const reply = helo === null ? 'helloFirst' : 'mailFirst'
    return dialogue.isMailRefused ? dialogue.reply(reply) : dialogue.fail(reply)
  }
  if (mail.content !== null) return dialogue.fail('chunksBegun')
  const parsed = parseRecipient(argument, mail.smtpUtf8)
  if (!parsed.ok) {
    mail.hasRefusedRecipient = true
    return dialogue.fail(parsed.reply)
  }
  if (mail.recipients.length >= options.recipientsMax) return dialogue.reply('tooManyRecipients')
  dialogue.state = { name: 'asking' }
  return { kind: 'recipient', address: parsed.value, transaction: mail }
}

function reset<R>(dialogue: Dialogue<R>, argument: string): null {
  if (argument !== '') return dialogue.fail('noArguments')
  dialogue.mail = null
  dialogue.isMailRefused = false
  return dialogue.reply('ok')
}

function startTls<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  if (!dialogue.options.offersTls) return dialogue.fail('tlsNotOffered')
  if (dialogue.isSecure) return dialogue.fail('tlsAlready')
  if (argument !== '') return dialogue.fail('noArguments')
  dialogue.reply('tlsReady')
  // Input after the command was sent in clear text and may be injected: it must not be executed.
  dialogue.input.clear()
  dialogue.state = { name: 'securing' }
  return { kind: 'secure' }
}
