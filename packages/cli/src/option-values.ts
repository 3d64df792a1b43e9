import type { TextPattern } from '@mayfly/client'
import { UsageError } from './exit.ts'

/** A number of seconds, zero or more, with or without a fraction. */
export function parseSeconds(option: string, text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds
  throw new UsageError(`--${option} must be a number of seconds, but is "${text}".`)
}

/** A whole number, one or more. */
export function parseCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`--${option} must be a whole number above 0, but is "${text}".`)
}

/** A regular expression when written as `/expression/flags`, otherwise a plain text. */
export function parsePattern(option: string, text: string): TextPattern {
  const parts = /^\/(.+)\/([a-z]*)$/s.exec(text)
  if (parts === null) return text
  try {
    return new RegExp(parts[1] ?? '', parts[2])
  } catch (error) {
    throw new UsageError(`--${option}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
