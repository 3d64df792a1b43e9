import { useCallback, useEffect, useState } from 'preact/hooks'
import { type ErrorText, errorText } from './error-text.ts'

/** Something that is read from the service for one part of the page. */
export type Loaded<Value> = {
  /** Null until it was read. */
  readonly value: Value | null
  readonly error: ErrorText | null
  /** Loads it again; the old value stays until then. */
  reload(): void
}

/** Reads something when the part appears and whenever `key` changes. */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  type Result = {
    readonly key: string
    readonly value: Value | null
    readonly error: ErrorText | null
  }
  const [result, setResult] = useState<Result | null>(null)
  const [revision, setRevision] = useState(0)
  // Not when `load` changes: it is new at each rendering, and `key` says when it differs.
  useEffect(() => {
    const abort = new AbortController()
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setResult({ key, value, error: null })
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setResult({ key, value: null, error: errorText(error) })
      },
    )
    return () => abort.abort()
  }, [key, revision])
  const reload = useCallback(() => setRevision((last) => last + 1), [])
  const isCurrent = result?.key === key
  return {
    value: isCurrent ? result.value : null,
    error: isCurrent ? result.error : null,
    reload,
  }
}
