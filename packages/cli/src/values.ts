import type { TextPattern } from '@mayfly/client'
import { Misuse } from './exit.ts'

/** A whole or broken number of seconds, zero or more. */
export function parseSeconds(option: string, text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds
  throw new Misuse(`--${option} must be a number of seconds, but is "${text}".`)
}

/** A whole number, one or more. */
export function parseCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Misuse(`--${option} must be a whole number above 0, but is "${text}".`)
}

/** `/expression/flags`, or a text that must occur. */
export function parsePattern(option: string, text: string): TextPattern {
  const parts = /^\/(.+)\/([a-z]*)$/s.exec(text)
  if (parts === null) return text
  try {
    return new RegExp(parts[1] ?? '', parts[2])
  } catch (error) {
    throw new Misuse(`--${option}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
