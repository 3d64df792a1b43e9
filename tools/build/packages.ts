/** A package that is published, and what its JavaScript may rely on. */
export type PublishedPackage = {
  /** Its folder below packages/. */
  readonly folder: string
  /** Language level of the JavaScript. */
  readonly target: string
  /** Node versions that it runs on. */
  readonly node: string
  /** Whether it goes over the wire to browsers: comments are then left to the types. */
  readonly isLean: boolean
  /** Whether `require` loads it as well as `import`. */
  readonly isDual: boolean
}

/** What is published, each after those that it imports. */
export const PUBLISHED: readonly PublishedPackage[] = [
  { folder: 'contract', target: 'es2023', node: '>=20', isLean: false, isDual: false },
  // Browsers of the last two years, Bun and Deno run it too; Jest's usual set-up requires it.
  { folder: 'client', target: 'es2022', node: '>=20.3', isLean: true, isDual: true },
  { folder: 'mail', target: 'es2024', node: '>=24', isLean: false, isDual: false },
  { folder: 'smtp', target: 'es2024', node: '>=24', isLean: false, isDual: false },
  { folder: 'pop3', target: 'es2024', node: '>=24', isLean: false, isDual: false },
  { folder: 'server', target: 'es2024', node: '>=24.8', isLean: false, isDual: false },
  // Only the commands that load the server need its Node.
  { folder: 'cli', target: 'es2022', node: '>=20.3', isLean: false, isDual: false },
]
