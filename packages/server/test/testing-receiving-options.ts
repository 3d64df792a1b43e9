import { createUsageMemory } from '@mayfly/smtp'
import { parseConfig } from '../src/config/config.ts'
import type { ReceivingOptions } from '../src/threads/receiving-host.ts'

/** Options for receiving on the thread of a test, on a free port. */
export function receivingOptions(): ReceivingOptions {
  return {
    config: parseConfig({ MAYFLY_SMTP_THREADS: '0' }),
    hostName: 'mx.mayfly.test',
    operatorAddress: '',
    catchAllOwner: null,
    port: 0,
    usageMemory: createUsageMemory(),
    tls: null,
  }
}
