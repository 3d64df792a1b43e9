/** Environment variables with defaults for options. */
export type Variable = 'MAYFLY_API_KEY' | 'MAYFLY_BASE_URL'

/** The value of a variable; undefined in browsers, which have no environment. */
export function readVariable(name: Variable): string | undefined {
  const value = globalThis.process?.env?.[name]
  return value === '' ? undefined : value
}
