import type { Kysely } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'
import { Accounts } from './tables/accounts.ts'
import { Addresses } from './tables/addresses.ts'
import { Attachments } from './tables/attachments.ts'
import { Candidates } from './tables/candidates.ts'
import { CatchAllMessages } from './tables/catch-all-messages.ts'
import { Connections } from './tables/connections.ts'
import { Deliveries } from './tables/deliveries.ts'
import { Diagnostics } from './tables/diagnostics.ts'
import { Dispatches } from './tables/dispatches.ts'
import { Domains } from './tables/domains.ts'
import { FaultRules } from './tables/faults.ts'
import { IdempotencyKeys } from './tables/idempotency.ts'
import { Inboxes } from './tables/inboxes.ts'
import { Keys } from './tables/keys.ts'
import { Mails } from './tables/mails.ts'
import { MessageChanges } from './tables/message-changes.ts'
import { Messages } from './tables/messages.ts'
import { OperatorQueries } from './tables/operator.ts'
import { ProviderMails } from './tables/provider-mails.ts'
import { ProviderTemplates } from './tables/provider-templates.ts'
import { RateWindows } from './tables/rate-windows.ts'
import { ReceivingQueries } from './tables/receiving.ts'
import { Scenarios } from './tables/scenarios.ts'
import { SearchIndex } from './tables/search.ts'
import { SecretKeys } from './tables/secret-keys.ts'
import { SenderVerdicts } from './tables/sender-verdicts.ts'
import { SignInLinks } from './tables/sign-in-links.ts'
import { Slots } from './tables/slots.ts'
import { Usage } from './tables/usage.ts'
import { Webhooks } from './tables/webhooks.ts'

/** The queries of all tables, inside or outside of a transaction. */
export type Tables = {
  readonly accounts: Accounts
  readonly keys: Keys
  readonly addresses: Addresses
  readonly connections: Connections
  readonly domains: Domains
  readonly inboxes: Inboxes
  readonly faults: FaultRules
  readonly idempotencyKeys: IdempotencyKeys
  readonly receiving: ReceivingQueries
  readonly mails: Mails
  readonly messages: Messages
  readonly candidates: Candidates
  readonly messageChanges: MessageChanges
  readonly catchAllMessages: CatchAllMessages
  readonly senderVerdicts: SenderVerdicts
  readonly attachments: Attachments
  readonly diagnostics: Diagnostics
  /** Mails and templates of providers' APIs. */
  readonly providers: { readonly mails: ProviderMails; readonly templates: ProviderTemplates }
  readonly scenarios: Scenarios
  readonly usage: Usage
  readonly rateWindows: RateWindows
  readonly slots: Slots
  readonly operator: OperatorQueries
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly dispatches: Dispatches
  readonly secretKeys: SecretKeys
  readonly signInLinks: SignInLinks
  readonly search: SearchIndex
}

/** A transaction uses few of its tables: each is created on first use. */
export function tablesOver(db: Kysely<Schema>, dialect: Dialect, statements: Statements): Tables {
  return {
    get accounts() {
      return new Accounts(db, dialect)
    },
    get keys() {
      return new Keys(db, dialect, statements)
    },
    get addresses() {
      return new Addresses(db)
    },
    get connections() {
      return new Connections(db)
    },
    get domains() {
      return new Domains(db)
    },
    get inboxes() {
      return new Inboxes({ db, statements }, dialect)
    },
    get faults() {
      return new FaultRules(db)
    },
    get idempotencyKeys() {
      return new IdempotencyKeys(db)
    },
    get receiving() {
      return new ReceivingQueries(db, dialect, statements)
    },
    get mails() {
      return new Mails(db, dialect, statements)
    },
    get messages() {
      return new Messages({ db, statements })
    },
    get candidates() {
      return new Candidates({ db, statements })
    },
    get messageChanges() {
      return new MessageChanges(db, dialect)
    },
    get catchAllMessages() {
      return new CatchAllMessages(db, dialect)
    },
    get senderVerdicts() {
      return new SenderVerdicts(db, dialect, statements)
    },
    get attachments() {
      return new Attachments(db, dialect)
    },
    get diagnostics() {
      return new Diagnostics(db, dialect)
    },
    get providers() {
      return { mails: new ProviderMails(db, dialect), templates: new ProviderTemplates(db) }
    },
    get scenarios() {
      return new Scenarios(db)
    },
    get usage() {
      return new Usage(db, dialect)
    },
    get rateWindows() {
      return new RateWindows(db)
    },
    get slots() {
      return new Slots(db, dialect)
    },
    get operator() {
      return new OperatorQueries(db, dialect)
    },
    get webhooks() {
      return new Webhooks(db, dialect, statements)
    },
    get deliveries() {
      return new Deliveries(db, dialect, statements)
    },
    get dispatches() {
      return new Dispatches(db, dialect)
    },
    get secretKeys() {
      return new SecretKeys(db)
    },
    get signInLinks() {
      return new SignInLinks(db)
    },
    get search() {
      return new SearchIndex(db, dialect)
    },
  }
}
