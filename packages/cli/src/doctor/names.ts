/** Endings of names that no DNS server outside knows (RFC 2606, RFC 6761, RFC 6762). */
const TEST_NAME = /(?:^|\.)(?:test|example|invalid|localhost|local|internal)$/

/** Whether a name is one for tests, which DNS is not asked for. */
export function isTestName(name: string): boolean {
  return TEST_NAME.test(name)
}
