import { Body, DataReader, endlessBytes } from './body.ts'
import { type ChunkState, COMMAND, type Dialogue, type Mail } from './dialogue.ts'
import { parseChunk } from './parameters.ts'
import { REPLIES } from './replies.ts'
import type { Step, TransmissionType } from './steps.ts'

const STARVED = { kind: 'starved' } as const
const TOO_LARGE = { reason: 'too_large', reply: REPLIES.tooLarge } as const

/** The command DATA. */
export function beginData<R>(dialogue: Dialogue<R>, argument: string): null {
  if (argument !== '') return dialogue.fail(REPLIES.noArguments)
  const refusal = outOfOrder(dialogue)
  if (refusal !== null) return refuseContent(dialogue, refusal)
  if (dialogue.mail?.body) return dialogue.fail(REPLIES.chunksBegun)
  dialogue.state = { name: 'data', reader: new DataReader(dialogue.options.messageBytesMax) }
  return dialogue.reply(REPLIES.sendData)
}

/**
 * The command BDAT.
 *
 * A chunk whose size we cannot read, or would not sit out, ends the session: its bytes would
 * otherwise be taken for commands.
 */
export function beginChunk<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  const { mail, options } = dialogue
  const chunk = parseChunk(argument)
  if (chunk === null) return dialogue.close(REPLIES.badChunk)
  if (chunk.sizeBytes > endlessBytes(options.messageBytesMax)) return hangUpOn(dialogue)
  const refusal = outOfOrder(dialogue)
  dialogue.state = { ...chunk, name: 'chunk', remainingBytes: chunk.sizeBytes, refusal }
  if (mail === null || refusal !== null) return null
  mail.body ??= new Body()
  if (mail.body.lengthBytes + chunk.sizeBytes > options.messageBytesMax) {
    mail.refusal ??= TOO_LARGE
    mail.body.clear()
  }
  return null
}

/** Takes what is there of DATA. */
export function readData<R>(dialogue: Dialogue<R>, reader: DataReader): Step<R> | null {
  const { input, mail, transcript } = dialogue
  const piece = input.take(Number.POSITIVE_INFINITY)
  if (piece.length === 0 || mail === null) return STARVED
  const progress = reader.read(piece)
  if (progress.kind === 'more') return STARVED
  if (progress.kind === 'endless') return hangUpOn(dialogue)
  input.untake(progress.surplusBytes)
  dialogue.state = COMMAND
  if (progress.mail !== null) return deliver(dialogue, mail, progress.mail)
  const sizeBytes = reader.wireBytes - progress.surplusBytes
  transcript.client(`<${sizeBytes} bytes of mail>`)
  return dialogue.turnAway(mail, mail.refusal ?? tooLarge(sizeBytes, dialogue))
}

/** Takes what is there of a chunk. */
export function readChunk<R>(dialogue: Dialogue<R>, chunk: ChunkState): Step<R> | null {
  const { input, mail, transcript } = dialogue
  const piece = input.take(chunk.remainingBytes)
  chunk.remainingBytes -= piece.length
  const isKept = chunk.refusal === null && mail?.refusal === null
  if (isKept) mail.body?.append(piece)
  if (chunk.remainingBytes > 0) return STARVED
  dialogue.state = COMMAND
  if (isKept && chunk.isLast) return deliver(dialogue, mail, mail.body?.bytes() ?? piece)
  transcript.client(`<${chunk.sizeBytes} bytes of mail>`)
  if (chunk.refusal !== null) return refuseContent(dialogue, chunk.refusal)
  if (mail?.refusal) return dialogue.turnAway(mail, mail.refusal)
  return dialogue.reply(REPLIES.chunkOk)
}

function deliver<R>(dialogue: Dialogue<R>, mail: Mail<R>, raw: Buffer): Step<R> {
  dialogue.transcript.client(`<${raw.length} bytes of mail>`)
  dialogue.state = { name: 'storing' }
  return {
    kind: 'mail',
    transaction: mail,
    raw,
    transcript: dialogue.transcript.lines(),
    transmission: transmissionType(dialogue, mail),
  }
}

/** The reply to content that comes too early, or null. */
function outOfOrder<R>({ helo, mail }: Dialogue<R>): string | null {
  if (helo === null) return REPLIES.helloFirst
  if (mail === null) return REPLIES.mailFirst
  if (mail.recipients.length > 0) return null
  return mail.hasRefusedRecipient ? REPLIES.noRecipients : REPLIES.recipientFirst
}

/** A client that sends ahead cannot know that MAIL or all of its RCPT are refused. */
function refuseContent<R>(dialogue: Dialogue<R>, reply: string): null {
  const isConsequence = dialogue.isMailRefused || reply === REPLIES.noRecipients
  return isConsequence ? dialogue.reply(reply) : dialogue.fail(reply)
}

/** With both figures, for whoever reads the client's log or the owner's diagnostics. */
function tooLarge<R>(sizeBytes: number, { options }: Dialogue<R>) {
  const size = `${megabytes(sizeBytes)} of ${megabytes(options.messageBytesMax)} MB`
  return { ...TOO_LARGE, reply: `${REPLIES.tooLarge}: ${size}` }
}

function megabytes(bytes: number): string {
  return String(Math.round(bytes / 10_000) / 100)
}

/** Too large to be read to its end: the client hears why, and loses the connection. */
function hangUpOn<R>(dialogue: Dialogue<R>): Step<R> | null {
  const { mail } = dialogue
  dialogue.close(REPLIES.tooLarge)
  dialogue.mail = null
  return mail === null ? null : { kind: 'turned_away', transaction: mail, ...TOO_LARGE }
}

function transmissionType<R>(dialogue: Dialogue<R>, mail: Mail<R>): TransmissionType {
  if (!dialogue.helo?.isExtended) return 'SMTP'
  const base = mail.smtpUtf8 ? 'UTF8SMTP' : 'ESMTP'
  return `${base}${dialogue.isSecure ? 'S' : ''}${dialogue.isAuthenticated ? 'A' : ''}`
}
