import { StartRefused } from '../errors.ts'

/** A port that cannot be had is the operator's to change; anything else is thrown on. */
export function listenError(error: unknown, setting: 'MAYFLY_HTTP' | 'MAYFLY_SMTP'): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  const reasons: Record<string, string> = {
    EADDRINUSE: `The port is taken. Stop what listens there, or set ${setting}_PORT (0 picks a free one).`,
    EACCES: `The port may not be used by this user. Set ${setting}_PORT to one above 1023.`,
    EADDRNOTAVAIL: `The machine does not have that address. Set ${setting}_HOST.`,
    ENOTFOUND: `${setting}_HOST is no address of this machine.`,
  }
  const reason = typeof code === 'string' ? reasons[code] : undefined
  return reason === undefined ? error : new StartRefused(`${reason} (${String(error)})`)
}
