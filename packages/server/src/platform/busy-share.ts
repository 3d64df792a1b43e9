import { performance } from 'node:perf_hooks'

/** Tells for which share of the time since the call before this thread was busy, from 0 to 1. */
export function createBusyShare(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
