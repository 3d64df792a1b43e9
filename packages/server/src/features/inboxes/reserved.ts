/**
 * Local parts that belong to whoever runs a domain: who reads their mail can speak for it.
 * RFC 2142's roles, the five that certificate authorities send proofs to, and names that
 * mail systems use themselves.
 */
const RESERVED: ReadonlySet<string> = new Set([
  // RFC 2142
  ...['info', 'marketing', 'sales', 'support', 'abuse', 'noc', 'security', 'postmaster'],
  ...['hostmaster', 'usenet', 'news', 'webmaster', 'www', 'uucp', 'ftp'],
  // CA/Browser Forum: also hostmaster, postmaster and webmaster above
  ...['admin', 'administrator'],
  // Mail systems, and who may seem to speak for us
  ...['mailer-daemon', 'mailerdaemon', 'root', 'noreply', 'no-reply', 'nobody', 'daemon'],
  ...['bounce', 'bounces', 'dmarc', 'dmarc-reports', 'tls-reports', 'autoconfig', 'autodiscover'],
  ...['ssladmin', 'ssladministrator', 'sslwebmaster', 'sysadmin', 'is', 'it', 'mis', 'mayfly'],
])

/** Whether a local part is the operator's alone. */
export function isReserved(localPart: string): boolean {
  return RESERVED.has(localPart)
}
