import {
  type Assertion,
  type AssertionRun,
  SCENARIOS_MAX,
  type Scenario,
  type ScenarioId,
} from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { AssertRequest } from './run.ts'

export type ScenarioDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly runAssertions: (caller: Caller, request: AssertRequest) => Promise<AssertionRun>
}

/** Saves a set of assertions under a name. */
export async function createScenario(
  deps: ScenarioDeps,
  caller: Caller,
  scenario: {
    readonly name: string
    readonly assertions: readonly Assertion[]
    readonly timeoutSeconds: number
  },
): Promise<Scenario> {
  return deps.store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId)
    const saved = await tx.scenarios.list(caller.accountId)
    if (saved.length >= SCENARIOS_MAX) {
      throw new ServiceError('plan_limit', {
        message: `An account keeps at most ${SCENARIOS_MAX} scenarios. Delete one first.`,
      })
    }
    return tx.scenarios.add(caller.accountId, {
      ...scenario,
      id: deps.ids.next('scenario'),
      createdAt: deps.clock.now(),
    })
  })
}

/** The caller's scenarios, oldest first. */
export async function listScenarios(deps: ScenarioDeps, caller: Caller): Promise<Scenario[]> {
  return deps.store.scenarios.list(caller.accountId)
}

/** Deletes a scenario. */
export async function deleteScenario(
  deps: ScenarioDeps,
  caller: Caller,
  id: ScenarioId,
): Promise<void> {
  const isDeleted = await deps.store.scenarios.delete(caller.accountId, id)
  if (!isDeleted) throw new ServiceError('scenario_not_found')
}

/** Runs a saved scenario against an inbox. */
export async function runScenario(
  deps: ScenarioDeps,
  caller: Caller,
  request: Pick<AssertRequest, 'inboxId' | 'filter' | 'gone'> & { readonly scenarioId: ScenarioId },
): Promise<AssertionRun> {
  const { scenarioId, inboxId, filter, gone } = request
  const scenario = await deps.store.scenarios.find(caller.accountId, scenarioId)
  if (scenario === null) throw new ServiceError('scenario_not_found')
  return deps.runAssertions(caller, {
    inboxId,
    filter,
    gone,
    assertions: scenario.assertions,
    timeoutMs: scenario.timeoutSeconds * 1000,
  })
}
