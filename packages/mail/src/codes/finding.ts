/** One reason for or against a candidate, and what it weighs. */
export interface Finding {
  readonly reason: string
  /** Above zero for, below zero against. */
  readonly points: number
}

/** What reasons weigh together. */
export function weigh(findings: readonly Finding[]): number {
  return findings.reduce((sum, { points }) => sum + points, 0)
}
