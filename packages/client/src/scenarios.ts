import type { Assertion, AssertionRun, SavedAssertion } from './assertions.ts'
import type { CallOptions } from './connection.ts'
import { callOptions, checkOptions, type OptionKinds } from './options.ts'
import type { Requester } from './request.ts'
import { startQuery, WAIT_SECONDS_MAX, type WaitStart, waitMs } from './wait-call.ts'

/** A saved, named set of assertions. */
export type Scenario = {
  readonly id: string
  readonly name: string
  readonly assertions: readonly SavedAssertion[]
  readonly timeoutSeconds: number
  readonly createdAt: string
}

/** The scenario to save; by default it waits 30 seconds, at most 50. */
type CreateScenarioOptions = CallOptions & {
  readonly name: string
  readonly assertions: readonly Assertion[]
  readonly timeoutSeconds?: number
}

const RUN = {
  ...{ since: 'time', after: 'text', signal: 'signal' },
} as const satisfies OptionKinds<CallOptions & WaitStart>

/** Calls about scenarios. */
export type ScenarioCalls = {
  create(options: CreateScenarioOptions): Promise<Scenario>
  list(options?: CallOptions): Promise<readonly Scenario[]>
  delete(scenarioId: string, options?: CallOptions): Promise<void>
  /** Waits for a message in the inbox, checks it and returns the report; see `passed`. */
  run(
    scenarioId: string,
    inbox: { readonly id: string },
    options?: CallOptions & WaitStart,
  ): Promise<AssertionRun>
}

/** Binds the calls about scenarios. */
export function scenarioCalls(requester: Requester): ScenarioCalls {
  const path = '/v1/scenarios'
  const pathOf = (scenarioId: string) => `${path}/${encodeURIComponent(scenarioId)}`
  return {
    create: ({ signal, ...body }) =>
      requester.field('scenario', { method: 'POST', path, body, signal }),
    list: async (options) =>
      requester.field('scenarios', { method: 'GET', path, ...callOptions(options) }),
    delete: async (scenarioId, options) =>
      requester.done({ method: 'DELETE', path: pathOf(scenarioId), ...callOptions(options) }),
    run: async (scenarioId, inbox, options = {}) => {
      checkOptions(options, RUN)
      return requester.json({
        method: 'POST',
        path: `${pathOf(scenarioId)}/run`,
        body: { inboxId: inbox.id, ...startQuery(options) },
        isRepeatable: true,
        timeoutMs: waitMs(WAIT_SECONDS_MAX),
        signal: options.signal,
      })
    },
  }
}
