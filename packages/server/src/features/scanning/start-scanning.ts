import { type FailedScans, type ScanDeps, scanAttachments } from './scan.ts'

export type ScanningDeps = Omit<ScanDeps, 'scan' | 'isDue' | 'stopped'> & {
  readonly scan: (bytes: Buffer, stopped: AbortSignal) => ReturnType<ScanDeps['scan']>
  /** The scanner did not respond; attachments that wait for it stay quarantined. */
  readonly onUnavailable: (error: unknown) => void
}

/** Scans in the background. */
export type Scanning = {
  /** There are attachments that wait. */
  readonly wake: () => void
  readonly stop: () => Promise<void>
}

/** Interval of scans that does not depend on new mail, for when the scanner was unavailable. */
const RESCAN_MS = 15_000

/** Scans when it is woken, and at an interval. */
export function startScanning({ scan, onUnavailable, ...deps }: ScanningDeps): Scanning {
  const stopping = new AbortController()
  const { signal } = stopping
  const failed: FailedScans = new Map()
  let running: Promise<void> | null = null
  let isDue = false
  const wake = () => {
    isDue = true
    running ??= run()
  }
  const run = async () => {
    while (isDue) {
      isDue = false
      try {
        await scanAttachments(
          {
            ...deps,
            scan: (bytes) => scan(bytes, signal),
            isDue: () => isDue,
            stopped: signal,
          },
          failed,
        )
      } catch (error) {
        if (signal.aborted) return
        onUnavailable(error)
      }
    }
    running = null
  }
  const again = setInterval(wake, RESCAN_MS)
  wake()
  return {
    wake,
    stop: async () => {
      clearInterval(again)
      isDue = false
      stopping.abort()
      await running
    },
  }
}
