/**
 * Local parts that only the operator of a domain may use: their mail can prove control of it.
 * The roles of RFC 2142, the five that certificate authorities send proofs to, and names that mail
 * systems use themselves.
 */
const RESERVED: ReadonlySet<string> = new Set([
  // RFC 2142
  ...['info', 'marketing', 'sales', 'support', 'abuse', 'noc', 'security', 'postmaster'],
  ...['hostmaster', 'usenet', 'news', 'webmaster', 'www', 'uucp', 'ftp'],
  // CA/Browser Forum: also hostmaster, postmaster and webmaster above
  ...['admin', 'administrator'],
  // Names of mail systems, and names that look like the operator's
  ...['mailer-daemon', 'mailerdaemon', 'root', 'noreply', 'no-reply', 'nobody', 'daemon'],
  ...['bounce', 'bounces', 'dmarc', 'dmarc-reports', 'tls-reports', 'autoconfig', 'autodiscover'],
  ...['ssladmin', 'ssladministrator', 'sslwebmaster', 'sysadmin', 'is', 'it', 'mis', 'mayfly'],
])

/** Whether a local part is reserved for the operator. */
export function isReserved(localPart: string): boolean {
  return RESERVED.has(localPart)
}
