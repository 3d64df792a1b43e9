import type { AssertionRun } from './assertions.ts'
import type { WaitDiagnostics } from './diagnostics.ts'
import { MayflyError } from './errors.ts'
import type { Message } from './messages.ts'

/** The expected mail did not arrive. The message describes the mail that did. */
export class EmailTimeoutError extends MayflyError {
  static {
    EmailTimeoutError.prototype.name = 'EmailTimeoutError'
  }

  readonly emailAddress: string
  readonly timeoutSeconds: number
  /** The mail that did not match, the mail that was refused, and what to do next. */
  readonly diagnostics: WaitDiagnostics

  constructor(
    message: string,
    details: Pick<EmailTimeoutError, 'emailAddress' | 'timeoutSeconds' | 'diagnostics'>,
  ) {
    super(message)
    this.emailAddress = details.emailAddress
    this.timeoutSeconds = details.timeoutSeconds
    this.diagnostics = details.diagnostics
  }
}

/** A mail arrived although none was expected. */
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

/** An assertion failed. */
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
