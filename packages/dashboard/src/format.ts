/** Units from the largest that is shown. */
const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
]

/** How long ago, in the largest unit: "now", "4 m ago", "3 h ago", "12 d ago". */
export function agoText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  for (const [length, name] of UNITS) {
    if (seconds >= length) return `${Math.floor(seconds / length)} ${name} ago`
  }
  return 'now'
}

/** A span that counts down, in two units: "23 h 59 m", "4 m 30 s", "12 s". */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} m`
  if (minutes > 0) return `${minutes} m ${seconds % 60} s`
  return `${seconds} s`
}

/** The exact time where the reader is. */
export function exactTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** The time of day where the reader is, with seconds; with the date unless it is today. */
export function clockText(iso: string, now: number): string {
  const date = new Date(iso)
  const [time] = date.toTimeString().split(' ')
  if (date.toDateString() === new Date(now).toDateString()) return time ?? ''
  return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`
}

/** How much later something was: "+4 ms", "+2.3 s", "+5 m 12 s". */
export function gapText(ms: number): string {
  if (ms < 1000) return `+${ms} ms`
  return ms < 60_000 ? `+${(ms / 1000).toFixed(1)} s` : `+${spanText(ms)}`
}

/** A size in the unit that leaves one to three digits. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** A number as the reader writes it. Most are small, and need no rules of a language. */
export function numberText(count: number): string {
  return count < 1000 ? String(count) : count.toLocaleString()
}

/** A number with a noun in the right form. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A name, or the address without one. */
export function personText(person: {
  readonly name: string | null
  readonly address: string | null
}): string {
  return person.name || person.address || 'Unknown sender'
}

/** Characters without a shape that change the order of the text after them. */
const BIDI_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text of a sender with its bidirectional controls as marks, such as "[U+202E]". */
export function visibleText(text: string): string {
  return text.replace(
    BIDI_CONTROL,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}
