import type { Message } from '@mayfly/client'
import type { Address } from '@mayfly/client/internal'
import { print, printable, printableLine, style, utcTime } from './output.ts'
import type { Terminal } from './terminal.ts'

/** Prints a message: header, text, code, links, attachments. */
export function showMessage(terminal: Terminal, message: Message): void {
  const field = (name: string, value: string) =>
    print(terminal, `${style(terminal, 'dim', name.padEnd(9))} ${printableLine(value)}`)
  field('From', addressText(message.from))
  field('To', message.to.map(addressText).join(', '))
  if (message.cc.length > 0) field('Cc', message.cc.map(addressText).join(', '))
  field('Subject', message.subject ?? '')
  field('Received', utcTime(message.receivedAt))
  field('Id', message.id)
  if (message.auth !== null) {
    const { spf, dkim, dmarc } = message.auth
    field('Checks', `spf ${spf.result}, dkim ${dkim.result}, dmarc ${dmarc.result}`)
  }
  print(terminal, '')
  print(terminal, printable(message.text ?? '').trimEnd())
  print(terminal, '')
  if (message.otp !== null) {
    const percent = Math.round(message.otp.confidence * 100)
    const code = style(terminal, 'bold', style(terminal, 'green', printableLine(message.otp.value)))
    print(terminal, `${style(terminal, 'dim', 'Code     ')} ${code} (confidence ${percent} %)`)
  }
  for (const link of message.links) field('Link', `${link.url}  ${link.text}`)
  for (const { filename, contentType, sizeBytes, status, reason, id } of message.attachments) {
    const verdict = status === 'available' ? '' : `, ${status}: ${reason ?? ''}`
    field('Attached', `${filename ?? id} (${contentType}, ${sizeBytes} bytes${verdict})`)
  }
}

function addressText({ name, address }: Address): string {
  return name === null ? (address ?? '') : `${name} <${address ?? ''}>`
}
