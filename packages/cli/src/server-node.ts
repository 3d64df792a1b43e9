/** The Node version of the server. The other commands run on Node 20.3. */
export const NODE_MIN = { major: 24, minor: 8 } as const

/** Whether a version of Node can run the server. */
export function canRunServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor)
}
