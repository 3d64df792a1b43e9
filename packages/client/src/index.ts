export type { Account } from './accounts.ts'
export type { Assertion, AssertionRun } from './assertions.ts'
export { type Client, type ClientOptions, createClient, registerAccount } from './client.ts'
export type { CallOptions } from './connection.ts'
export type { Diagnostics, RejectedMessage } from './diagnostics.ts'
export type { Domain } from './domains.ts'
export { ApiError, ConnectionError, type ErrorCode, MayflyError } from './errors.ts'
export type { AccountEvent } from './events/account-event.ts'
export {
  AssertionsFailedError,
  EmailTimeoutError,
  UnexpectedEmailError,
} from './expectation-errors.ts'
export type { ReceivedLink, ReceivedOtp } from './expectations.ts'
export type { FaultRule } from './faults.ts'
export type { TextPattern } from './filter.ts'
export type { Action, Inbox } from './inbox.ts'
export type { CreateInboxOptions } from './inboxes.ts'
export type { Key } from './keys.ts'
export type { Attachment, Message, MessageSummary, Otp, ProviderCall } from './messages.ts'
export type { Pages } from './pages.ts'
export type { Scenario } from './scenarios.ts'
export { totp } from './totp.ts'
export { WebhookVerificationError } from './verification-error.ts'
export { verifyWebhook } from './verify-webhook.ts'
export type { WaitStart } from './wait-call.ts'
export type {
  CheckOptions,
  LinkOptions,
  NoEmailOptions,
  OtpOptions,
  WaitOptions,
} from './wait-options.ts'
export type {
  Delivery,
  ReplayResult,
  TestDelivery,
  Webhook,
  WebhookEvent,
} from './webhooks.ts'
