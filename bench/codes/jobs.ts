// Trains several networks at a time, one a thread.

import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Dataset } from './dataset.ts'
import { type Network, probabilitiesOf } from './network.ts'
import type { Settings } from './settings.ts'
import { train } from './train.ts'

/** Mails to train with, and mails to judge with what was trained. */
export interface Job {
  readonly train: Int32Array
  readonly judge: Int32Array
  readonly settings: Settings
  readonly seed: number
}

/** What a job has trained, and the probabilities of the values of each mail that it judged. */
export interface JobResult {
  readonly network: Network
  readonly judged: readonly (readonly number[])[]
}

/** Does all jobs, in the order in which they are given. */
export async function runJobs(data: Dataset, jobs: readonly Job[]): Promise<readonly JobResult[]> {
  const results = new Array<JobResult>(jobs.length)
  let next = 0
  const threads = Math.min(availableParallelism(), jobs.length)
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: data })
      for (let at = next++; at < jobs.length; at = next++) {
        results[at] = await runJob(worker, jobs[at])
      }
      await worker.terminate()
    }),
  )
  return results
}

async function runJob(worker: Worker, job: Job | undefined): Promise<JobResult> {
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
  worker.once('message', resolve).once('error', reject)
  worker.postMessage(job)
  const result = await promise
  worker.off('error', reject)
  return result
}

if (!isMainThread) {
  // What `runJobs` gives.
  const data = workerData as Dataset
  parentPort?.on('message', ({ train: mails, judge, settings, seed }: Job) => {
    const network = train(data, mails, { settings, seed })
    const { hasLayer } = settings
    const judged = Array.from(judge, (mail) => probabilitiesOf(data, network, { mail, hasLayer }))
    parentPort?.postMessage({ network, judged } satisfies JobResult)
  })
}
