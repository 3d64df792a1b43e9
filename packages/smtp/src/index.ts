export { createUsageMemory } from './listener/shared-usage.ts'
export type {
  Credentials,
  ProtocolOptions,
  Step,
  Transaction,
  TransmissionType,
} from './protocol/interface.ts'
export { SmtpProtocol } from './protocol/machine.ts'
export {
  type AdmitResult,
  type AuthenticateResult,
  BAD_CREDENTIALS_REPLY,
  type Envelope,
  type FailedHandshake,
  type IncomingMail,
  type MailHandler,
  REFUSAL_REPLIES,
  type ReceiveResult,
  type Recipient,
  type RejectedMail,
  type RejectReason,
} from './server/handler.ts'
export { SMTP_LIMITS, type SmtpLimits } from './server/limits.ts'
export { type CertificatePair, makeSelfSignedCertificate } from './server/self-signed.ts'
export { type SmtpServer, type SmtpServerOptions, startSmtpServer } from './server/server.ts'
