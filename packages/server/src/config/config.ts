import { nearestName } from '@mayfly/contract'
import { z } from 'zod'
import { StartRefused } from '../errors.ts'
import { IDENTITY_SETTINGS } from './identity-settings.ts'
import { PLAN_SETTINGS } from './plan-settings.ts'
import {
  domains,
  flag,
  list,
  networks,
  optionalText,
  port,
  type Setting,
  setting,
  text,
  wholeNumber,
} from './setting.ts'

/** Every setting, by the name of its environment variable. */
export const SETTINGS = {
  MAYFLY_HTTP_HOST: setting(text, {
    default: '127.0.0.1',
    type: 'address',
    sentence: 'Address that the API listens on. 0.0.0.0 is every IPv4 address of the machine.',
  }),
  MAYFLY_HTTP_PORT: setting(port, {
    default: '8025',
    type: 'port',
    sentence: 'Port of the API; 0 picks a free one, which the ready line tells.',
  }),
  MAYFLY_SMTP_HOST: setting(text, {
    default: '127.0.0.1',
    type: 'address',
    sentence: 'Address that mail is received on.',
  }),
  MAYFLY_SMTP_PORT: setting(port, {
    default: '1025',
    type: 'port',
    sentence: 'Port that mail is received on; 0 picks a free one, which the ready line tells.',
  }),
  MAYFLY_SMTP_THREADS: setting(wholeNumber(0, 64), {
    default: '1',
    type: 'number',
    sentence:
      'Threads that receive mail, sharing the port. 0 receives on the thread of the API: less memory, but a burst of mail then delays answers.',
  }),
  MAYFLY_SMTP_MAX_MESSAGE_BYTES: setting(wholeNumber(1024, 100 * 1024 * 1024), {
    default: String(25 * 1024 * 1024),
    type: 'bytes',
    sentence: 'Largest mail accepted. A larger one is refused with 552 and not kept in memory.',
  }),
  MAYFLY_SMTP_TLS_CERT: setting(optionalText, {
    default: '',
    type: 'file',
    sentence:
      'PEM certificate chain for STARTTLS. Unset, a self-signed certificate is made at each start.',
  }),
  MAYFLY_SMTP_TLS_KEY: setting(optionalText, {
    default: '',
    type: 'file',
    sentence: 'PEM private key of MAYFLY_SMTP_TLS_CERT.',
  }),
  MAYFLY_SMTP_ACCEPT_ANY_AUTH: setting(flag, {
    default: 'false',
    type: 'true or false',
    sentence:
      'Whether AUTH PLAIN and LOGIN are offered and accept any name and password, for applications that insist on logging in.',
  }),
  MAYFLY_CLAMD: setting(
    optionalText.refine((value) => value === null || /^(?:unix:.+|.+:\d+)$/.test(value), {
      error: 'must be host:port or unix:PATH',
    }),
    {
      default: '',
      type: 'host:port or unix:PATH',
      sentence:
        'A clamd that scans attachments. They are quarantined until scanned, also while it is out of reach.',
    },
  ),
  MAYFLY_DNS_SERVERS: setting(list, {
    default: '',
    type: 'list',
    sentence:
      "Resolvers as host:port, separated by commas, for TXT, MX, SPF, DKIM and DMARC. Unset, the system's.",
  }),
  MAYFLY_ALLOW_PRIVATE_NETWORK: setting(flag, {
    default: 'false',
    type: 'true or false',
    sentence:
      'Whether link checks and webhooks may reach private and local addresses. Only for who hosts for himself.',
  }),
  MAYFLY_OUTBOUND_ALLOW: setting(list, {
    default: '',
    type: 'list of CIDRs',
    sentence: 'Blocks of addresses that link checks and webhooks may reach beside public ones.',
  }),
  MAYFLY_EXTRA_CA: setting(optionalText, {
    default: '',
    type: 'file',
    sentence: 'PEM certificates that link checks and webhooks trust beside the usual authorities.',
  }),
  MAYFLY_SECRET_KEY: setting(optionalText, {
    default: '',
    type: '32 bytes in base64 or hex',
    sentence:
      'Seals the secrets of webhooks in the store; the same on every node. Unset, a key is made and kept: in a file beside an embedded store, in the database itself with PostgreSQL, where a copy of it holds both. What a kept key sealed stays readable once this is set; changing it afterwards makes webhooks fail until they are registered anew.',
  }),
  MAYFLY_BASE_URL: setting(
    optionalText.refine((value) => value === null || /^https?:\/\/[^/]+/.test(value), {
      error: 'must begin with http:// or https://',
    }),
    {
      default: '',
      type: 'URL',
      sentence: 'Where callers reach the API. Unset, it is http://HOST:PORT of the listener.',
    },
  ),
  MAYFLY_TRUSTED_PROXIES: setting(networks, {
    default: '',
    type: 'list',
    sentence:
      'Addresses and networks of proxies before the API, whose X-Forwarded-For is believed.',
  }),
  MAYFLY_DATABASE_URL: setting(
    text.refine((url) => /^(?:sqlite:.+|postgres(?:ql)?:\/\/.+)/.test(url), {
      error: 'must be sqlite:PATH or postgres://…',
    }),
    {
      default: 'sqlite:./data/mayfly.db',
      type: 'URL',
      sentence:
        'The storage: a file that is created when missing, or PostgreSQL for several nodes.',
    },
  ),
  MAYFLY_DATABASE_CONNECTIONS: setting(wholeNumber(1, 1_000), {
    default: '10',
    type: 'number',
    sentence: 'Most connections to PostgreSQL that one node opens for its API.',
  }),
  MAYFLY_DOMAINS: setting(
    domains.refine((names) => names.length > 0, { error: 'must name at least one domain' }),
    {
      default: 'mayfly.test',
      type: 'list',
      sentence: 'Public receiving domains, separated by commas. The first is the default.',
    },
  ),
  MAYFLY_PRIVATE_DOMAINS: setting(domains, {
    default: 'private.mayfly.test',
    type: 'list',
    sentence: 'The private pool: receiving domains for plans that include it. May be empty.',
  }),
  MAYFLY_MAIL_HOST: setting(optionalText, {
    default: '',
    type: 'name',
    sentence:
      "Name that a custom domain's MX must point to. Unset, it is mx. and the first domain.",
  }),
  MAYFLY_DEFAULT_PLAN: setting(z.enum(['key_only', 'connected', 'unlimited']), {
    default: 'key_only',
    type: 'key_only, connected or unlimited',
    sentence: 'Plan of a new account. A team that hosts for itself wants unlimited.',
  }),
  ...PLAN_SETTINGS,
  ...IDENTITY_SETTINGS,
  MAYFLY_LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    {
      default: 'info',
      type: 'level',
      sentence: 'Least level that is logged: trace, debug, info, warn, error, fatal or silent.',
    },
  ),
  MAYFLY_METRICS: setting(flag, {
    default: 'false',
    type: 'true or false',
    sentence: 'Whether GET /metrics answers, without a key, in the format of Prometheus.',
  }),
} as const satisfies Record<string, Setting>

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS

/** The value of every setting. */
export type Config = {
  readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']>
}

/** The configuration from the process's environment. */
export function loadConfig(): Config {
  return parseConfig(process.env)
}

/** Reads every setting; the first that is unknown or malformed throws. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const names = Object.keys(SETTINGS)
  for (const name of Object.keys(env)) {
    if (!name.startsWith('MAYFLY_') || names.includes(name)) continue
    // The client's own: whoever has it set must still be able to start the service.
    if (name === 'MAYFLY_API_KEY') continue
    const nearest = nearestName(name, names)
    const hint =
      nearest === null ? '`mayfly serve --help` lists them all.' : `Did you mean ${nearest}?`
    throw new StartRefused(`${name} is not a setting. ${hint}`)
  }
  const values = Object.entries(SETTINGS).map(([name, { schema, default: unset }]) => {
    const value = env[name] ?? unset
    const parsed = schema.safeParse(value)
    if (parsed.success) return [name, parsed.data]
    const rule = parsed.error.issues[0]?.message ?? 'is malformed'
    throw new StartRefused(`${name} ${rule}, but is ${JSON.stringify(value)}.`)
  })
  // Built from the same table that the type is made of.
  return Object.fromEntries(values) as Config
}
