import { type AuthMove, type AuthStage, beginAuth, continueAuth } from './auth.ts'
import { beginChunk, beginData } from './content.ts'
import { COMMAND, type Dialogue } from './dialogue.ts'
import { decodeLine, parseCommand, shownLine } from './line.ts'
import { parseRecipient, parseSender } from './parameters.ts'
import { ehloReply, heloReply, REPLIES } from './replies.ts'
import type { Step } from './steps.ts'

/** Longest name in HELO that is kept: a domain, or an address in brackets. */
const HELO_LENGTH_MAX = 255

/** Verbs of HTTP: a web page must not make a browser talk to this port. */
const HTTP_VERBS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '))

/** Verbs with which something begins that a transcript shows. */
const BEGINNINGS = new Set(['MAIL', 'AUTH', 'STARTTLS'])

/** Does what one command line says. `line` has one character a byte. */
export function readCommand<R>(dialogue: Dialogue<R>, line: string): Step<R> | null {
  const { transcript, mail } = dialogue
  const text = decodeLine(line)
  if (text === null) {
    transcript.client(shownLine(line))
    return dialogue.fail(REPLIES.badCharacters)
  }
  const { verb, argument } = parseCommand(text)
  // What was said since the last mail belongs to no mail.
  if (verb === 'EHLO' || verb === 'HELO') transcript.rewindToOpening()
  else if (mail === null && BEGINNINGS.has(verb)) transcript.rewindToStart()
  transcript.client(shownLine(text))
  return run(dialogue, verb, argument)
}

/** Takes one line of an AUTH exchange. */
export function readAuthLine<R>(dialogue: Dialogue<R>, stage: AuthStage, line: string): null {
  dialogue.transcript.client('<hidden>')
  return moveAuth(dialogue, continueAuth(stage, line))
}

function run<R>(dialogue: Dialogue<R>, verb: string, argument: string): Step<R> | null {
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
      if (argument !== '') return dialogue.fail(REPLIES.noArguments)
      return dialogue.close(REPLIES.goodbye)
    case 'STARTTLS':
      return startTls(dialogue, argument)
    case 'AUTH':
      return auth(dialogue, argument)
    case 'NOOP':
      return dialogue.reply(REPLIES.ok)
    case 'HELP':
      return dialogue.reply(REPLIES.help)
    case 'VRFY':
      return argument === ''
        ? dialogue.fail(REPLIES.needsArgument)
        : dialogue.reply(REPLIES.cannotVerify)
    case 'EXPN':
      return dialogue.fail(REPLIES.notOffered)
    default:
      return HTTP_VERBS.has(verb)
        ? dialogue.close(REPLIES.notHttp)
        : dialogue.fail(REPLIES.unknownCommand)
  }
}

function hello<R>(dialogue: Dialogue<R>, name: string, isExtended: boolean): null {
  const { options, transcript } = dialogue
  if (name === '' || name.length > HELO_LENGTH_MAX || /\s/.test(name)) {
    return dialogue.fail(REPLIES.needsHostName)
  }
  dialogue.helo = { name, isExtended }
  dialogue.mail = null
  dialogue.isMailRefused = false
  const offer = {
    hostname: options.hostname,
    messageBytesMax: options.messageBytesMax,
    tls: options.offersTls && !dialogue.isSecure,
    auth: options.acceptsAnyAuth,
  }
  dialogue.reply(isExtended ? ehloReply(offer) : heloReply(options.hostname))
  transcript.keepAsStart()
  return null
}

function mail<R>(dialogue: Dialogue<R>, argument: string): null {
  const { helo, options } = dialogue
  if (helo === null) return dialogue.fail(REPLIES.helloFirst)
  if (dialogue.mail !== null) return dialogue.fail(REPLIES.mailAlready)
  const sender = parseSender(argument, {
    messageBytesMax: options.messageBytesMax,
    isExtended: helo.isExtended,
    isAuthOffered: options.acceptsAnyAuth,
  })
  dialogue.isMailRefused = !sender.ok
  if (!sender.ok) {
    const isError = sender.reply !== REPLIES.tooLarge
    return isError ? dialogue.fail(sender.reply) : dialogue.reply(sender.reply)
  }
  const { address, declaredSizeBytes, smtpUtf8 } = sender.value
  dialogue.mail = {
    mailFrom: address,
    declaredSizeBytes,
    smtpUtf8,
    recipients: [],
    hasRefusedRecipient: false,
    refusal: null,
    body: null,
  }
  return dialogue.reply(REPLIES.senderOk)
}

function recipient<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  const { helo, mail, options } = dialogue
  if (mail === null) {
    const reply = helo === null ? REPLIES.helloFirst : REPLIES.mailFirst
    return dialogue.isMailRefused ? dialogue.reply(reply) : dialogue.fail(reply)
  }
  if (mail.body !== null) return dialogue.fail(REPLIES.chunksBegun)
  const parsed = parseRecipient(argument, mail.smtpUtf8)
  if (!parsed.ok) {
    mail.hasRefusedRecipient = true
    return dialogue.fail(parsed.reply)
  }
  if (mail.recipients.length >= options.recipientsMax) {
    return dialogue.reply(REPLIES.tooManyRecipients)
  }
  dialogue.state = { name: 'asking' }
  return { kind: 'recipient', address: parsed.value, transaction: mail }
}

function reset<R>(dialogue: Dialogue<R>, argument: string): null {
  if (argument !== '') return dialogue.fail(REPLIES.noArguments)
  dialogue.mail = null
  dialogue.isMailRefused = false
  return dialogue.reply(REPLIES.ok)
}

function startTls<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  if (!dialogue.options.offersTls) return dialogue.fail(REPLIES.notOffered)
  if (dialogue.isSecure) return dialogue.fail(REPLIES.tlsAlready)
  if (argument !== '') return dialogue.fail(REPLIES.noArguments)
  dialogue.reply(REPLIES.tlsReady)
  // What came behind the command came in the clear, whoever sent it.
  dialogue.input.clear()
  dialogue.state = { name: 'securing' }
  return { kind: 'secure' }
}

function auth<R>(dialogue: Dialogue<R>, argument: string): null {
  if (!dialogue.options.acceptsAnyAuth) return dialogue.fail(REPLIES.notOffered)
  if (!dialogue.helo?.isExtended) return dialogue.fail(REPLIES.helloFirst)
  if (dialogue.isAuthenticated) return dialogue.fail(REPLIES.authAlready)
  if (dialogue.mail !== null) return dialogue.fail(REPLIES.mailAlready)
  return moveAuth(dialogue, beginAuth(argument))
}

function moveAuth<R>(dialogue: Dialogue<R>, move: AuthMove): null {
  if (move.kind === 'ask') {
    dialogue.state = { name: 'authing', stage: move.stage }
    return dialogue.reply(move.reply)
  }
  dialogue.state = COMMAND
  if (move.kind === 'failed') return dialogue.fail(move.reply)
  dialogue.isAuthenticated = true
  dialogue.reply(REPLIES.authenticated)
  dialogue.transcript.keepAsStart()
  return null
}
