import type { AssertionRun } from './assertions.ts'
import type { WaitDiagnostics } from './diagnostics.ts'
import { MayflyError } from './errors.ts'
import type { Message } from './messages.ts'

/** What was waited for did not come. The message tells what did. */
export class EmailTimeoutError extends MayflyError {
  static {
    EmailTimeoutError.prototype.name = 'EmailTimeoutError'
  }

  readonly emailAddress: string
  readonly timeoutSeconds: number
  /** What arrived and did not count, what was refused, and what to do next. */
  readonly diagnostics: WaitDiagnostics

  constructor(
    message: string,
    about: Pick<EmailTimeoutError, 'emailAddress' | 'timeoutSeconds' | 'diagnostics'>,
  ) {
    super(message)
    this.emailAddress = about.emailAddress
    this.timeoutSeconds = about.timeoutSeconds
    this.diagnostics = about.diagnostics
  }
}

/** A mail came where none was to come. */
export class UnexpectedEmailError extends MayflyError {
  static {
    UnexpectedEmailError.prototype.name = 'UnexpectedEmailError'
  }

  readonly email: Message

  constructor(message: string, email: Message) {
    super(message)
    this.email = email
  }
}

/** Not every assertion held. */
export class AssertionsFailedError extends MayflyError {
  static {
    AssertionsFailedError.prototype.name = 'AssertionsFailedError'
  }

  readonly run: AssertionRun

  constructor(message: string, run: AssertionRun) {
    super(message)
    this.run = run
  }
}
