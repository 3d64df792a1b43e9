import { styleText } from 'node:util'

/** Where a command reads its surroundings and writes its output. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether a person watches: progress is then shown. */
  readonly isInteractive: boolean
  /** Whether standard output is a terminal, and not a file or a program. */
  readonly isOutTerminal: boolean
  /** Whether standard output takes colours. */
  readonly hasColour: boolean
  /** Fires when the person wants to stop. */
  readonly interrupted: AbortSignal
  /** Standard output: what a program may read. */
  out(text: string | Uint8Array): void
  /** Standard error: what only a person reads. */
  err(text: string): void
}

type Style = Parameters<typeof styleText>[0]

/** The text in a colour where the output takes one. */
export function style(terminal: Terminal, format: Style, text: string): string {
  return terminal.hasColour ? styleText(format, text, { validateStream: false }) : text
}

/** One line of output. */
export function print(terminal: Terminal, line: string): void {
  terminal.out(`${line}\n`)
}

/** JSON for a program, indented for whoever looks at it. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`)
}
