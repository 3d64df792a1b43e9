import type { Config } from '@mayfly/server'
import type { Server } from '../operator.ts'

/** One thing that a check looked at. */
export type Finding =
  | { readonly level: 'fine'; readonly text: string }
  /** It works, or may be meant so. */
  | { readonly level: 'warning'; readonly text: string; readonly remedy: string }
  | { readonly level: 'problem'; readonly text: string; readonly remedy: string }

/** What a check is given. */
export type Patient = { readonly server: Server; readonly config: Config; readonly now: number }

/** Looks at one part of the service's world. */
export type Check = {
  readonly name: string
  readonly look: (patient: Patient) => Promise<readonly Finding[]>
}

/** Nothing to mend. */
export const fine = (text: string): Finding => ({ level: 'fine', text })

/** Something to know of, and what to do about it. */
export const warning = (text: string, remedy: string): Finding => ({
  level: 'warning',
  text,
  remedy,
})

/** Something that does not work, and what to do about it. */
export const problem = (text: string, remedy: string): Finding => ({
  level: 'problem',
  text,
  remedy,
})

/** What went wrong, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? cause.message : error.message
}
