import { MayflyError } from './errors.ts'

/** Why a delivery is not valid. */
export type VerificationFailure =
  | 'missing_header'
  | 'unsupported_version'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'invalid_payload'

/** A delivery is not valid: respond with 400 and ignore it. */
export class WebhookVerificationError extends MayflyError {
  static {
    WebhookVerificationError.prototype.name = 'WebhookVerificationError'
  }

  readonly reason: VerificationFailure

  constructor(reason: VerificationFailure, message: string) {
    super(message)
    this.reason = reason
  }
}
