import { createUsageMemory } from '@mayfly/smtp'
import type { ReceivingOptions } from '../src/app/receiving-options.ts'
import { parseConfig } from '../src/config/config.ts'

/** Options for receiving on a free port. */
export function receivingOptions(): ReceivingOptions {
  return {
    config: parseConfig({}),
    hostName: 'mx.mayfly.test',
    operatorAddress: '',
    catchAllOwner: null,
    port: 0,
    usageMemory: createUsageMemory(),
    tls: null,
  }
}
