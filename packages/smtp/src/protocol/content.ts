// The content of a mail: the commands DATA and BDAT, and the bytes that follow them.

import { DataReader, endlessBytes, MailBuffer } from './data-reader.ts'
import { type ChunkState, COMMAND, type Dialogue, type MailInProgress } from './dialogue.ts'
import type { ContentRejection, Step, TransmissionType } from './interface.ts'
import { REPLIES, type ReplyCode } from './replies.ts'

const NEEDS_INPUT = { kind: 'needs_input' } as const
const TOO_LARGE: ContentRejection = { reason: 'too_large', reply: REPLIES.tooLarge }

/** Handles the command DATA. */
export function beginData<R>(dialogue: Dialogue<R>, argument: string): null {
  if (argument !== '') return dialogue.fail('noArguments')
  const refusal = sequenceError(dialogue)
  if (refusal !== null) return refuseContent(dialogue, refusal)
  if (dialogue.mail?.content) return dialogue.fail('chunksBegun')
  dialogue.state = { name: 'data', reader: new DataReader(dialogue.options.messageBytesMax) }
  return dialogue.reply('sendData')
}

/**
 * Handles the command BDAT: `size [LAST]`.
 *
 * A chunk with an invalid or far too large size closes the session: its bytes would otherwise be
 * read as commands.
 */
export function beginChunk<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  const { mail, options } = dialogue
  const match = /^(\d{1,15})( LAST)?$/i.exec(argument)
  if (match === null) return dialogue.close('badChunk')
  const sizeBytes = Number(match[1])
  if (sizeBytes > endlessBytes(options.messageBytesMax)) return closeAsTooLarge(dialogue)
  const refusal = sequenceError(dialogue)
  const isLast = match[2] !== undefined
  dialogue.state = { name: 'chunk', sizeBytes, isLast, remainingBytes: sizeBytes, refusal }
  if (mail === null || refusal !== null) return null
  mail.content ??= new MailBuffer()
  if (mail.content.lengthBytes + sizeBytes > options.messageBytesMax) {
    mail.rejection ??= TOO_LARGE
    mail.content.clear()
  }
  return null
}

/** Reads the available content of DATA. */
export function readData<R>(dialogue: Dialogue<R>, reader: DataReader): Step<R> | null {
  const { input, mail, transcript } = dialogue
  const piece = input.take(Number.POSITIVE_INFINITY)
  if (piece.length === 0 || mail === null) return NEEDS_INPUT
  const progress = reader.read(piece)
  if (progress.kind === 'more') return NEEDS_INPUT
  if (progress.kind === 'endless') return closeAsTooLarge(dialogue)
  input.untake(progress.surplusBytes)
  dialogue.state = COMMAND
  if (progress.mail !== null) return deliver(dialogue, mail, progress.mail)
  const sizeBytes = reader.wireBytes - progress.surplusBytes
  transcript.client(`<${sizeBytes} bytes of mail>`)
  return dialogue.reject(mail, mail.rejection ?? tooLarge(sizeBytes, dialogue))
}

/** Reads the available bytes of a chunk. */
export function readChunk<R>(dialogue: Dialogue<R>, chunk: ChunkState): Step<R> | null {
  const { input, mail, transcript } = dialogue
  const piece = input.take(chunk.remainingBytes)
  chunk.remainingBytes -= piece.length
  const isKept = chunk.refusal === null && mail?.rejection === null
  if (isKept) mail.content?.append(piece)
  if (chunk.remainingBytes > 0) return NEEDS_INPUT
  dialogue.state = COMMAND
  if (isKept && chunk.isLast) return deliver(dialogue, mail, mail.content?.bytes() ?? piece)
  transcript.client(`<${chunk.sizeBytes} bytes of mail>`)
  if (chunk.refusal !== null) return refuseContent(dialogue, chunk.refusal)
  if (mail?.rejection) return dialogue.reject(mail, mail.rejection)
  return dialogue.reply('chunkOk')
}

function deliver<R>(dialogue: Dialogue<R>, mail: MailInProgress<R>, raw: Buffer): Step<R> {
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

/** The reply to content that is sent too early, or null. */
function sequenceError<R>({ helo, mail }: Dialogue<R>): ReplyCode | null {
  if (helo === null) return 'helloFirst'
  if (mail === null) return 'mailFirst'
  if (mail.recipients.length > 0) return null
  return mail.hasRefusedRecipient ? 'noRecipients' : 'recipientFirst'
}

/** A client that pipelines cannot know yet that its MAIL or every RCPT was refused. */
function refuseContent<R>(dialogue: Dialogue<R>, reply: ReplyCode): null {
  const isConsequence = dialogue.isMailRefused || reply === 'noRecipients'
  return isConsequence ? dialogue.reply(reply) : dialogue.fail(reply)
}

/** States both sizes, for the client's log and the diagnostics of the inbox. */
function tooLarge<R>(sizeBytes: number, { options }: Dialogue<R>): ContentRejection {
  const sizes = `${megabytes(sizeBytes)} of ${megabytes(options.messageBytesMax)} MB`
  return { ...TOO_LARGE, reply: `${TOO_LARGE.reply}: ${sizes}` }
}

function megabytes(bytes: number): string {
  return String(Math.round(bytes / 10_000) / 100)
}

/** For a mail that is too large to be read to its end. */
function closeAsTooLarge<R>(dialogue: Dialogue<R>): Step<R> | null {
  const { mail } = dialogue
  dialogue.close('tooLarge')
  dialogue.mail = null
  return mail === null ? null : { kind: 'rejected', transaction: mail, ...TOO_LARGE }
}

function transmissionType<R>(dialogue: Dialogue<R>, mail: MailInProgress<R>): TransmissionType {
  if (!dialogue.helo?.isExtended) return 'SMTP'
  const base = mail.smtpUtf8 ? 'UTF8SMTP' : 'ESMTP'
  return `${base}${dialogue.isSecure ? 'S' : ''}${dialogue.isAuthenticated ? 'A' : ''}`
}
