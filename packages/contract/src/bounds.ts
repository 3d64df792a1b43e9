/** Lifetime of an inbox in seconds: from a test run to a week. */
export const INBOX_TTL_SECONDS = { min: 600, max: 604_800, default: 86_400 } as const

/** How long a call may wait. Less than a minute, so that no proxy times out first. */
export const WAIT_SECONDS = { min: 0, max: 50, default: 30 } as const

/** Newest messages that a catch-all inbox keeps; its plan may allow fewer. */
export const KEEP_MESSAGES = { min: 1, max: 1_000, default: 500 } as const

/** Messages on one page. */
export const MESSAGES_PAGE = { min: 1, max: 100, default: 50 } as const

/** Inboxes on one page. Without a limit, a list has as many as most accounts ever have at once. */
export const INBOXES_PAGE = { min: 1, max: 1_000, default: 1_000 } as const

/** Deliveries on one page. */
export const DELIVERIES_PAGE = { min: 1, max: 100, default: 50 } as const

/** Longest URL of a webhook: servers and proxies accept this length. */
export const WEBHOOK_URL_LENGTH_MAX = 2_000

/** Deliveries of an account that may be pending: each is a row with its body, up to 10 KB. */
export const PENDING_DELIVERIES_MAX = 10_000

/** Days of usage shown. */
export const USAGE_DAYS = { min: 1, max: 90, default: 30 } as const

/** Longest Idempotency-Key; a UUID has 36 characters. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255

/** Longest name of an account, a key or a scenario: fits one line of a table. */
export const NAME_LENGTH_MAX = 100

/** Longest email address by RFC 5321. */
export const EMAIL_LENGTH_MAX = 254

/** Longest local part of an address by RFC 5321. */
export const LOCAL_PART_LENGTH_MAX = 64

/** Longest domain name by RFC 1035. */
export const DOMAIN_LENGTH_MAX = 253

/** Largest JSON body: twenty assertions with long texts are a tenth of it. */
export const BODY_BYTES_MAX = 256 * 1024

/** Longest text that a wait filters by. */
export const WAIT_TEXT_LENGTH_MAX = 500

/** Longest search query: twenty terms of ordinary length. */
export const QUERY_LENGTH_MAX = 500

/** Fault rules of one inbox. */
export const FAULT_RULES_MAX = 10

/** Mails that one fault rule refuses. */
export const FAULT_TIMES = { min: 1, max: 1_000 } as const

/** Longest text of an injected reply: a line of SMTP has 512 bytes. */
export const FAULT_TEXT_LENGTH_MAX = 200

/** How long faults last: an inbox must not refuse mail long after its test. */
export const FAULT_SECONDS = { min: 1, max: 86_400, default: 3_600 } as const

/** Below the time after which a silent connection is closed. */
export const FAULT_DELAY_MS_MAX = 60_000

/** Assertions in one request or scenario. */
export const ASSERTIONS = { min: 1, max: 20 } as const

/** Longest text of an assertion: a paragraph. */
export const ASSERTION_TEXT_LENGTH_MAX = 2_000

/** Mail clients in one assertion: more than are known. */
export const ASSERTION_CLIENTS_MAX = 100

/** Scenarios that an account may save. */
export const SCENARIOS_MAX = 100
