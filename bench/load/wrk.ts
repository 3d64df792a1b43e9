import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What wrk got answered. */
export type WrkResult = { readonly requests: number; readonly perSecond: number }

/** Calls one URL from outside as fast as it answers; every answer must be a success. */
export async function runWrk(
  url: string,
  load: { readonly apiKey: string; readonly connections: number; readonly seconds: number },
): Promise<WrkResult> {
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(load.connections), '-d', `${load.seconds}s`],
    ...['-H', `Authorization: Bearer ${load.apiKey}`, url],
  ])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not all went well:\n${stdout}`)
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
  }
}
