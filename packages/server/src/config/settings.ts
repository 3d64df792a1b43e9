import { localPartSchema } from '@mayfly/contract'
import { z } from 'zod'
import { planOverride } from './plans.ts'
import {
  baseUrl,
  cellName,
  dnsServers,
  domains,
  flag,
  hostPatterns,
  initialKey,
  list,
  mailServers,
  networks,
  optionalHostName,
  optionalPort,
  optionalText,
  port,
  providerUrl,
  text,
  wholeNumber,
} from './values.ts'

/** One setting: its values, its default, and its effect. */
export type Setting = {
  readonly schema: z.ZodType<unknown, string>
  /** As it would be written in the environment. */
  readonly default: string
  /** The default with MAYFLY_CATCH_ALL; the sentence names it. */
  readonly ofCatchAll?: string
  /** The kind of value, for the table of settings. */
  readonly type: string
  readonly sentence: string
  /** Whether an error must not show the value. */
  readonly isSecret?: boolean
}

/** Every setting, by the name of its environment variable. */
export const SETTINGS = {
  MAYFLY_HTTP_HOST: {
    schema: text,
    default: '127.0.0.1',
    type: 'address',
    sentence: 'Address the API listens on. 0.0.0.0 means every IPv4 address of the machine.',
  },
  MAYFLY_HTTP_PORT: {
    schema: port,
    default: '8025',
    type: 'port',
    sentence: 'Port of the API. 0 picks a free port, which is logged once the service is ready.',
  },
  MAYFLY_SMTP_HOST: {
    schema: text,
    default: '127.0.0.1',
    type: 'address',
    sentence: 'Address the SMTP server listens on.',
  },
  MAYFLY_SMTP_PORT: {
    schema: port,
    default: '1025',
    type: 'port',
    sentence:
      'Port of the SMTP server. 0 picks a free port, which is logged once the service is ready.',
  },
  MAYFLY_POP3_PORT: {
    schema: optionalPort,
    default: '',
    type: 'port',
    sentence:
      'Port of the POP3 server, through which programs read inboxes. It listens on MAYFLY_SMTP_HOST. The user name is the id or address of an inbox, the password is an API key. 0 picks a free port, which is logged. If unset, POP3 is off.',
  },
  MAYFLY_PROVIDERS_PORT: {
    schema: optionalPort,
    default: '',
    type: 'port',
    sentence:
      "Port of a listener with the APIs of all providers at its root, for clients that cannot keep a path in their URL, insist on TLS, or reach it by a provider's real host name. It listens on MAYFLY_HTTP_HOST. 0 picks a free port, which is logged. If unset, the APIs are served below /providers/ of the HTTP port alone.",
  },
  MAYFLY_PROVIDERS_TLS: {
    schema: z
      .enum(['', 'off', 'self-signed'], { error: 'must be off, self-signed or unset' })
      .transform((value) => (value === 'self-signed' ? value : null)),
    default: '',
    type: 'off or self-signed',
    sentence:
      "self-signed: the listener of MAYFLY_PROVIDERS_PORT speaks TLS, with a certificate for localhost and the providers' real host names. It is generated at each start and written to a file, which is logged, for clients to trust.",
  },
  MAYFLY_PROVIDERS_TLS_CERT: {
    schema: optionalText,
    default: '',
    type: 'file',
    sentence: 'PEM certificate chain. The listener of MAYFLY_PROVIDERS_PORT speaks TLS with it.',
  },
  MAYFLY_PROVIDERS_TLS_KEY: {
    schema: optionalText,
    default: '',
    type: 'file',
    sentence: 'PEM private key of MAYFLY_PROVIDERS_TLS_CERT.',
  },
  MAYFLY_SMTP_THREADS: {
    schema: wholeNumber(1, 64),
    default: '1',
    type: 'number',
    sentence: 'Threads that receive mail; they share the port.',
  },
  MAYFLY_SMTP_MAX_MESSAGE_BYTES: {
    schema: wholeNumber(1024, 100 * 1024 * 1024),
    default: String(25 * 1024 * 1024),
    ofCatchAll: String(50 * 1024 * 1024),
    type: 'bytes',
    sentence:
      'Largest mail accepted. A larger one is refused with 552 and not kept in memory. The default with MAYFLY_CATCH_ALL is 52428800, as in Mailpit.',
  },
  MAYFLY_SMTP_TLS: {
    schema: z
      .enum(['', 'self-signed'], { error: 'must be self-signed or unset' })
      .transform((value) => (value === '' ? null : value)),
    default: '',
    type: 'self-signed',
    sentence:
      'Offers STARTTLS with a self-signed certificate that is generated at each start. Most mail clients refuse such a certificate. If this and MAYFLY_SMTP_TLS_CERT are unset, STARTTLS is not offered.',
  },
  MAYFLY_SMTP_TLS_CERT: {
    schema: optionalText,
    default: '',
    type: 'file',
    sentence: 'PEM certificate chain. STARTTLS is offered with it.',
  },
  MAYFLY_SMTP_TLS_KEY: {
    schema: optionalText,
    default: '',
    type: 'file',
    sentence: 'PEM private key of MAYFLY_SMTP_TLS_CERT.',
  },
  MAYFLY_SMTP_PROXY_PROTOCOL: {
    schema: flag,
    default: 'false',
    type: 'true or false',
    sentence:
      'SMTP connections from MAYFLY_TRUSTED_PROXIES begin with a PROXY protocol header, version 1 or 2, which gives the address of the client. A connection from them without this header is closed.',
  },
  MAYFLY_SMTP_ACCEPT_ANY_AUTH: {
    schema: flag,
    default: 'false',
    type: 'true or false',
    sentence:
      'Accepts any user name and password in SMTP AUTH, for applications that require a login. On a loopback address, and with MAYFLY_CATCH_ALL=open, any that are not of Mayfly are accepted anyway. The credentials of a catch-all inbox still select that inbox.',
  },
  MAYFLY_CATCH_ALL: {
    schema: z.enum(['off', 'on', 'open'], { error: 'must be off, on or open' }),
    default: 'off',
    type: 'off, on or open',
    sentence:
      'on: mail that is sent without credentials to an address that belongs to no inbox is stored in a catch-all inbox of the local account, which the dashboard and the APIs of Mailpit, MailHog and MailDev show without a key. Allowed only when the service listens on loopback addresses. open: the same on any address, for containers and private networks; anyone who reaches the ports can read and send.',
  },
  MAYFLY_INITIAL_API_KEY: {
    schema: initialKey,
    default: '',
    type: 'API key',
    sentence:
      'An admin key of the local account, which the first start creates on any address: mf_live_ and 32 to 92 random letters and digits; with MAYFLY_CELL=c2, mf_live_c2_ and these. Every later start needs the same value, or none.',
    isSecret: true,
  },
  MAYFLY_INITIAL_INBOX: {
    schema: optionalText.pipe(localPartSchema.nullable()),
    default: '',
    type: 'name',
    sentence:
      'Name of a catch-all inbox of the local account, which the start creates if it is missing. The name is its local part at the first domain of MAYFLY_DOMAINS, and the user name in SMTP AUTH; the password is an API key.',
  },
  MAYFLY_ALLOWED_HOSTS: {
    schema: hostPatterns,
    default: '',
    type: 'list',
    sentence:
      'Host names, separated by commas, under which the service can be requested without a key, besides localhost and the host of MAYFLY_BASE_URL; *.example.test means all names below it. With MAYFLY_CATCH_ALL, IP addresses, names without a dot, *.internal, *.local and *.test are always allowed. Other names are refused, so that a public page cannot reach the service by DNS rebinding.',
  },
  MAYFLY_RELEASE_HOSTS: {
    schema: mailServers,
    default: '',
    type: 'list',
    sentence:
      'Mail servers as host:port, separated by commas, to which any account may forward messages of its catch-all inboxes, with the release operation of the APIs of Mailpit, MailHog and MailDev. The first is the default. If unset, the service never sends mail.',
  },
  MAYFLY_SEARCH_INDEX: {
    schema: flag,
    default: 'true',
    type: 'true or false',
    sentence:
      'Keeps an index for searches over all inboxes of an account. The index is written after mail is stored, mostly when no mail is arriving. Without the index, such searches read messages one by one.',
  },
  MAYFLY_CLAMD: {
    schema: optionalText.refine((value) => value === null || /^(?:unix:.+|.+:\d+)$/.test(value), {
      error: 'must be host:port or unix:PATH',
    }),
    default: '',
    type: 'host:port or unix:PATH',
    sentence:
      'Address of the clamd that scans attachments. Attachments are quarantined until they are scanned, also while clamd is unreachable.',
  },
  MAYFLY_DNS_SERVERS: {
    schema: dnsServers,
    default: '',
    type: 'list',
    sentence:
      'Name servers as host:port, separated by commas, for TXT, MX, SPF, DKIM and DMARC lookups. If unset, the name servers of the system are used.',
  },
  MAYFLY_ALLOW_PRIVATE_NETWORK: {
    schema: flag,
    default: 'false',
    type: 'true or false',
    sentence:
      'Allows link checks and webhooks to reach private and local addresses. Enable only on private deployments.',
  },
  MAYFLY_OUTBOUND_ALLOW: {
    schema: list,
    default: '',
    type: 'list of CIDRs',
    sentence: 'Address blocks that link checks and webhooks may reach besides public addresses.',
  },
  MAYFLY_EXTRA_CA: {
    schema: optionalText,
    default: '',
    type: 'file',
    sentence:
      'PEM certificates that link checks and webhooks trust besides the default authorities.',
  },
  MAYFLY_SECRET_KEY: {
    schema: optionalText,
    default: '',
    type: '32 bytes in base64 or hex',
    sentence:
      'Encrypts webhook secrets. Must be equal on all nodes. If unset, one is made and kept beside the database. Changing it later breaks existing webhooks.',
    isSecret: true,
  },
  MAYFLY_BASE_URL: {
    schema: baseUrl,
    default: '',
    type: 'URL',
    sentence: 'URL at which clients reach the API. If unset, http://HOST:PORT of the listener.',
  },
  MAYFLY_TRUSTED_PROXIES: {
    schema: networks,
    default: '',
    type: 'list',
    sentence: 'Addresses and networks of reverse proxies whose X-Forwarded-For header is trusted.',
  },
  MAYFLY_DATABASE_URL: {
    schema: text.refine((url) => /^(?:sqlite:(?!\/\/[^/]).+|postgres(?:ql)?:\/\/.+)/.test(url), {
      error: 'must be sqlite:PATH, as sqlite:./data/mayfly.db, or postgres://…',
    }),
    default: 'sqlite:./data/mayfly.db',
    type: 'URL',
    sentence:
      'The database: an SQLite file, created when missing, or PostgreSQL for several nodes.',
    isSecret: true,
  },
  MAYFLY_DATABASE_DIRECT_URL: {
    schema: optionalText.refine((url) => url === null || /^postgres(?:ql)?:\/\/.+/.test(url), {
      error: 'must be postgres://…',
    }),
    default: '',
    type: 'URL',
    sentence:
      'Direct URL of PostgreSQL, not through a connection pooler, for LISTEN/NOTIFY and migrations. Set it when MAYFLY_DATABASE_URL is a pooler in transaction mode, such as PgBouncer.',
    isSecret: true,
  },
  MAYFLY_DATABASE_CONNECTIONS: {
    schema: wholeNumber(1, 1_000),
    default: '10',
    type: 'number',
    sentence: 'Maximum number of PostgreSQL connections that the API of one node opens.',
  },
  MAYFLY_CELL: {
    schema: cellName,
    default: '',
    type: 'name',
    sentence:
      'Name of this cell, where several independent deployments share a base URL: a lower-case letter and up to 7 lower-case letters or digits. New API keys and sign-in links name it (mf_live_c2_…), so that the proxy in front can route by it. A key of another cell gets 421. Equal on all nodes of a cell.',
  },
  MAYFLY_DOMAINS: {
    schema: domains.refine((names) => names.length > 0, {
      error: 'must name at least one domain',
    }),
    default: 'mayfly.test',
    type: 'list',
    sentence: 'Public receiving domains, separated by commas. The first is the default.',
  },
  MAYFLY_PRIVATE_DOMAINS: {
    schema: domains,
    default: 'private.mayfly.test',
    type: 'list',
    sentence: 'The private pool: receiving domains for plans that include it. May be empty.',
  },
  MAYFLY_MAIL_HOST: {
    schema: optionalHostName,
    default: '',
    type: 'name',
    sentence:
      'Host name that the MX record of a custom domain must point to. If unset, mx. followed by the first domain of MAYFLY_DOMAINS.',
  },
  MAYFLY_DEFAULT_PLAN: {
    schema: z.enum(['key_only', 'connected', 'unlimited']),
    default: 'key_only',
    type: 'key_only, connected or unlimited',
    sentence: 'Plan of a new account. unlimited suits private deployments.',
  },
  MAYFLY_PLAN_KEY_ONLY: {
    schema: planOverride,
    default: '',
    type: 'list of NAME=VALUE',
    sentence: 'Overrides limits of plan key_only, e.g. inboxesPerDay=50.',
  },
  MAYFLY_PLAN_CONNECTED: {
    schema: planOverride,
    default: '',
    type: 'list of NAME=VALUE',
    sentence: 'Overrides limits of plan connected, e.g. retentionDays=30.',
  },
  MAYFLY_PLAN_UNLIMITED: {
    schema: planOverride,
    default: '',
    type: 'list of NAME=VALUE',
    sentence: 'Overrides limits of plan unlimited, e.g. webhooks=100.',
  },
  MAYFLY_REGISTRATIONS_PER_HOUR: {
    schema: wholeNumber(1, 1_000_000),
    default: '10',
    type: 'number',
    sentence:
      'Accounts that one IP address may register in an hour. The limit for loopback addresses is a thousand times as high.',
  },
  MAYFLY_OIDC_ISSUER: {
    schema: optionalText.pipe(providerUrl.nullable()),
    default: '',
    type: 'URL',
    sentence:
      'Issuer URL of an OpenID Connect provider whose accounts users may connect. Its endpoints are found by discovery.',
  },
  MAYFLY_OIDC_CLIENT_ID: {
    schema: optionalText,
    default: '',
    type: 'text',
    sentence: 'Client id at MAYFLY_OIDC_ISSUER.',
  },
  MAYFLY_OIDC_CLIENT_SECRET: {
    schema: optionalText,
    default: '',
    type: 'text',
    sentence:
      'Client secret at MAYFLY_OIDC_ISSUER. Leave it unset for a public client, which uses PKCE alone.',
    isSecret: true,
  },
  MAYFLY_OIDC_NAME: {
    schema: optionalText,
    default: '',
    type: 'text',
    sentence: 'Name of the provider as shown to users. If unset, the host of the issuer.',
  },
  MAYFLY_GITHUB_CLIENT_ID: {
    schema: optionalText,
    default: '',
    type: 'text',
    sentence: 'Client id of a GitHub OAuth app, so that users may connect GitHub accounts.',
  },
  MAYFLY_GITHUB_CLIENT_SECRET: {
    schema: optionalText,
    default: '',
    type: 'text',
    sentence: 'Client secret of the GitHub OAuth app.',
    isSecret: true,
  },
  MAYFLY_GITHUB_URL: {
    schema: text.transform((url) => url.replace(/\/+$/, '')).pipe(providerUrl),
    default: 'https://github.com',
    type: 'URL',
    sentence: 'URL of GitHub, or of a GitHub Enterprise server.',
  },
  MAYFLY_LOG_LEVEL: {
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    type: 'level',
    sentence: 'Lowest level that is logged: trace, debug, info, warn, error, fatal or silent.',
  },
  MAYFLY_LOG_FORMAT: {
    schema: z.enum(['auto', 'text', 'json'], { error: 'must be auto, text or json' }),
    default: 'auto',
    type: 'auto, text or json',
    sentence:
      'json: one object a line, for programs. text: one short line for people, also for each mail and each refused recipient. auto: text on a terminal, otherwise json.',
  },
  MAYFLY_METRICS: {
    schema: flag,
    default: 'false',
    type: 'true or false',
    sentence: 'Serves GET /metrics in the format of Prometheus, without an API key.',
  },
} as const satisfies Record<string, Setting>
