/** Names by which a program on the same machine reaches us. */
const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** Where the service is reached. */
export type OwnPlace = { readonly baseUrl: string; readonly port: number }

/**
 * Whether a request was meant for this service, by its Host and Origin headers.
 *
 * A page can make its own name lead to this machine's address, and then call us past every rule
 * of the browser. It cannot change what it is called: Host and Origin still name the page.
 * The port of Host is not looked at, because a forwarded port changes it and a name does not.
 */
export function isMeantForUs(
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
  own: OwnPlace,
): boolean {
  const base = new URL(own.baseUrl)
  const name = HOST.exec(headers.host ?? '')?.[1]?.toLowerCase()
  if (name === undefined || ![base.hostname, ...LOCAL_NAMES].includes(name)) return false
  if (headers.origin === undefined) return true
  const local = LOCAL_NAMES.map((localName) => `http://${localName}:${own.port}`)
  return [base.origin, ...local].includes(headers.origin.toLowerCase())
}
