export type {
  Account,
  AccountCalls,
  AccountOverview,
  ConnectOptions,
  Limits,
  Plan,
  RegisterOptions,
  Registration,
  UsageDay,
  UsageToday,
} from './accounts.ts'
export type {
  Assertion,
  AssertionResult,
  AssertionRun,
  SavedAssertion,
  SenderCheck,
} from './assertions.ts'
export {
  type Client,
  type ClientOptions,
  createClient,
  readService,
  registerAccount,
  type SearchOptions,
  type ServiceOptions,
  signIn,
} from './client.ts'
export type { CallOptions } from './connection.ts'
export type {
  Considered,
  DiagnosticEvent,
  Diagnostics,
  InboxState,
  Stage,
  WaitDiagnostics,
} from './diagnostics.ts'
export type { Domain, DomainCalls, ReceivingDomain } from './domains.ts'
export { ApiError, ConnectionError, type ErrorCode, MayflyError } from './errors.ts'
export type {
  AccountEvent,
  AccountEventData,
  EventsOptions,
  HeldWait,
} from './events/account-event.ts'
export {
  AssertionsFailedError,
  EmailTimeoutError,
  UnexpectedEmailError,
} from './expectation-errors.ts'
export type { ReceivedLink, ReceivedOtp } from './expectations.ts'
export type { FaultRule, Faults } from './faults.ts'
export type { MessageFilter, TextPattern } from './filter.ts'
export {
  type CheckOptions,
  Inbox,
  type NoEmailOptions,
  type Trigger,
  type WaitOptions,
} from './inbox.ts'
export type { FaultOptions, InboxRecord } from './inbox-calls.ts'
export type {
  CreateInboxOptions,
  InboxesCalls,
  InboxPage,
  ListInboxesOptions,
} from './inboxes.ts'
export type { CreateKeyOptions, Environment, IssuedKey, Key, KeyCalls, Role } from './keys.ts'
export type {
  Address,
  Attachment,
  AuthVerdict,
  FoundMessage,
  HtmlCheck,
  Link,
  ListMessagesOptions,
  Message,
  MessageCalls,
  MessageFrame,
  MessagePage,
  MessageSummary,
  Otp,
  OtpCandidate,
  OtpExplanation,
  ReadMessageOptions,
  SearchPage,
} from './messages.ts'
export type { CreateScenarioOptions, Scenario, ScenarioCalls } from './scenarios.ts'
export type { ServiceDescription, SignedIn, SignInLink } from './service.ts'
export type { VerifyOptions, WebhookHeaders } from './verification/verify.ts'
export { type VerificationFailure, WebhookVerificationError } from './verification-error.ts'
export { verifyWebhook } from './verify-webhook.ts'
export type { Anchor } from './wait-call.ts'
export type {
  AttemptError,
  Delivery,
  DeliveryAttempt,
  DeliveryPage,
  ListDeliveriesOptions,
  Replay,
  SampleDelivery,
  Webhook,
  WebhookCalls,
  WebhookEvent,
} from './webhooks.ts'
