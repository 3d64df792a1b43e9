import { signal } from '@preact/signals'

/** Counts announced diagnostics of the open inbox: who shows them reads them anew. */
export const diagnosticsTurn = signal(0)

/** Counts announced webhook attempts: who shows the log reads it anew. */
export const deliveriesTurn = signal(0)
