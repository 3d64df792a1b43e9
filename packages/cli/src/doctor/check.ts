import type { Config } from '@mayfly/server'
import type { Server } from '../server-package.ts'

/** One result of a check. */
export type Finding =
  | { readonly level: 'fine'; readonly text: string }
  /** It works, or may be intended. */
  | { readonly level: 'warning'; readonly text: string; readonly remedy: string }
  | { readonly level: 'problem'; readonly text: string; readonly remedy: string }

/** The input of a check. */
export type CheckContext = {
  readonly server: Server
  readonly config: Config
  readonly now: number
  /** The port that other mail servers connect to; another one only in tests. */
  readonly mailPort: number
}

/** Checks one part of the installation. */
export type Check = {
  readonly name: string
  readonly run: (context: CheckContext) => Promise<readonly Finding[]>
}

/** Top-level names that public DNS does not have (RFC 2606, RFC 6761, RFC 6762). */
const TEST_NAME = /(?:^|\.)(?:test|example|invalid|localhost|local|internal)$/

/** Whether a name is reserved for tests or local use; DNS is not queried for it. */
export function isTestName(name: string): boolean {
  return TEST_NAME.test(name)
}

/** A result that needs no action. */
export const fine = (text: string): Finding => ({ level: 'fine', text })

/** A result that may be intended, and the remedy if it is not. */
export const warning = (text: string, remedy: string): Finding => ({
  level: 'warning',
  text,
  remedy,
})

/** Something that does not work, and how to fix it. */
export const problem = (text: string, remedy: string): Finding => ({
  level: 'problem',
  text,
  remedy,
})

/** The reason of an error, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? cause.message : error.message
}
