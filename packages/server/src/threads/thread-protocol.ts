// The messages between a thread and the thread that started it: calls with a number, their
// responses, events of the thread, and lines of its log.

import { isMarkedAsUntransferable, parentPort } from 'node:worker_threads'
import type { ErrorCode } from '@mayfly/contract'
import { ServiceError, type ServiceErrorDetail, StorageUnavailable } from '../errors.ts'
import { createLog, type Log } from '../platform/log.ts'
import { standardOutput } from '../platform/log-output.ts'

/** Functions of a thread, each with one argument. */
export type ThreadCalls = Readonly<Record<string, (request: never) => Promise<unknown>>>

/** A message to a thread. */
export type ToThread =
  | {
      readonly type: 'call'
      readonly number: number
      readonly name: string
      readonly request: unknown
    }
  | { readonly type: 'stop'; readonly graceMs: number }

/** A message of a thread. */
export type FromThread =
  | { readonly type: 'ready'; readonly value: unknown }
  /** It could not start. */
  | { readonly type: 'unable'; readonly error: WrittenError }
  | { readonly type: 'done'; readonly number: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly number: number; readonly error: WrittenError }
  | { readonly type: 'event'; readonly event: unknown }
  | { readonly type: 'log'; readonly line: string }

/** An error as it is sent between threads, which keep neither class nor fields of an error. */
type WrittenError =
  | { readonly kind: 'service'; readonly code: ErrorCode; readonly detail: ServiceErrorDetail }
  | ({ readonly kind: 'storage' } & Pick<StorageUnavailable, 'cause' | 'full' | 'isUncertain'>)
  | { readonly kind: 'other'; readonly cause: unknown; readonly code: string | null }

/** A result with buffers that are handed over instead of copied. */
export class Transferred {
  readonly result: unknown
  readonly buffers: readonly ArrayBuffer[]

  constructor(result: unknown, buffers: readonly ArrayBuffer[]) {
    this.result = result
    this.buffers = buffers
  }
}

/** The functions of a thread. */
export type Served = {
  readonly calls: ThreadCalls
  /** The result for the host when the thread is ready. */
  readonly value?: unknown
  stop(graceMs: number): Promise<void>
}

/** Opens the functions of a thread, and serves them until the host stops the thread. */
export async function serveThread(open: () => Promise<Served>): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const send = (message: FromThread, buffers: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...buffers])
  try {
    const { calls, value, stop } = await open()
    port.on('message', async (message: ToThread) => {
      if (message.type === 'stop') {
        await stop(message.graceMs)
        port.close()
        return
      }
      const { number, name, request } = message
      try {
        // The host passes the argument of the function that it names.
        const call = calls[name] as (request: unknown) => Promise<unknown>
        const result = await call(request)
        if (result instanceof Transferred) {
          send({ type: 'done', number, result: result.result }, result.buffers)
        } else send({ type: 'done', number, result })
      } catch (error) {
        send({ type: 'failed', number, error: writeError(error) })
      }
    })
    send({ type: 'ready', value })
  } catch (error) {
    send({ type: 'unable', error: writeError(error) })
  }
}

/** Sends an event to the host. */
export function sendEvent(event: unknown): void {
  const message: FromThread = { type: 'event', event }
  parentPort?.postMessage(message)
}

/** The log of a thread. Lines sent before a crash of the thread are written, too. */
export function createThreadLog(level: string): Log {
  return createLog(level, { write: writeThreadLine })
}

/** Passes a line of a thread on to the main thread, which writes it. */
export function writeThreadLine(line: string): void {
  const message: FromThread = { type: 'log', line }
  if (parentPort === null) standardOutput.write(line)
  else parentPort.postMessage(message)
}

/** The bytes in a buffer of their own, which can be handed to another thread instead of copied. */
export function transferableBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isOwn =
    buffer instanceof ArrayBuffer &&
    buffer.byteLength === bytes.byteLength &&
    !isMarkedAsUntransferable(buffer)
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes)
}

/** An error in a form that can be sent to another thread. */
export function writeError(error: unknown): WrittenError {
  if (error instanceof ServiceError) {
    return { kind: 'service', code: error.code, detail: error.detail }
  }
  if (error instanceof StorageUnavailable) {
    const { cause, full, isUncertain } = error
    return { kind: 'storage', cause, full, isUncertain }
  }
  const code = error instanceof Error && 'code' in error ? error.code : null
  return { kind: 'other', cause: error, code: typeof code === 'string' ? code : null }
}

/** The error that `writeError` wrote. */
export function readError(written: WrittenError): unknown {
  if (written.kind === 'service') return new ServiceError(written.code, written.detail)
  if (written.kind === 'storage') {
    return new StorageUnavailable(written.cause, written.full, written.isUncertain)
  }
  const { cause, code } = written
  return cause instanceof Error && code !== null ? Object.assign(cause, { code }) : cause
}
