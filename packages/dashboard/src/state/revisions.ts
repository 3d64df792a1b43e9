import { signal } from '@preact/signals'

/** Counts announced diagnostics of the open inbox: a change reloads them where they are shown. */
export const diagnosticsRevision = signal(0)

/** Counts announced webhook attempts: a change reloads the log where it is shown. */
export const deliveriesRevision = signal(0)
