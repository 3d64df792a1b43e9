/** Work on one mail that pauses after each of its steps. */
export type Steps<Result> = Generator<void, Result, void>

/** Does all steps of one mail. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Mails that are best worked on together: what belongs to more of them leaves the caches. */
export const TOGETHER_MAX = { mails: 32, bytes: 64 * 1024 }

/**
 * Does the same step of all mails before the next one. The code for a mail is many times as large
 * as the first cache of a processor: done in this way, a step of the second mail finds its code
 * there, and small mails take half to two thirds of the time.
 */
export function runTogether<Result>(mails: readonly Steps<Result>[]): readonly Result[] {
  const results = new Array<Result>(mails.length)
  let open = mails.map((steps, at) => ({ steps, at }))
  while (open.length > 0) {
    open = open.filter(({ steps, at }) => {
      const step = steps.next()
      if (step.done === true) results[at] = step.value
      return step.done !== true
    })
  }
  return results
}
