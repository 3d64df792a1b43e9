/** Variables that stand in for what a caller leaves out. */
export type Variable = 'MAYFLY_API_KEY' | 'MAYFLY_BASE_URL'

/** The value of a variable where there is an environment: Node, Bun, Deno, not browsers. */
export function readVariable(name: Variable): string | undefined {
  const value = globalThis.process?.env?.[name]
  return value === '' ? undefined : value
}
