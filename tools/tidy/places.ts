/** TypeScript and JavaScript, which the parser reads. */
export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path)
}

/** Written by hand and read line by line: code, styles and pages. */
export function isSource(path: string): boolean {
  return isCode(path) || /\.(css|html|sh)$/.test(path)
}

/** A file that the test runner starts. */
export function isTest(path: string): boolean {
  return /\.test\.[cm]?[jt]sx?$/.test(path)
}

/** Tests and what only tests use: free to read clocks, drivers and the other layers. */
export function isTestCode(path: string): boolean {
  return (
    isTest(path) ||
    /^(packages\/[^/]+\/)?tests?\//.test(path) ||
    /^packages\/server\/src\/(.+\/)?testing[./-]/.test(path)
  )
}

/** Code that users run: every package's `src` without its tests. */
export function isShipped(path: string): boolean {
  return /^packages\/[^/]+\/src\//.test(path) && isCode(path) && !isTestCode(path)
}

/** Sample mails: bytes as they came, under no rule of ours. */
export function isSampleMail(path: string): boolean {
  return path.endsWith('.eml') || /\/test\/mail\//.test(path)
}

/** The folder name below `packages/`, or null. */
export function packageOf(path: string): string | null {
  return /^packages\/([^/]+)\//.exec(path)?.[1] ?? null
}
