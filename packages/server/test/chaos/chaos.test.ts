import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runChaos } from './run.ts'

/** Does not store the first mail of an inbox, stores the second one twice, and deletes no mail. */
const PLANTED = `
  create function plant() returns trigger language plpgsql as $$
    declare copy message%rowtype;
    begin
      if pg_trigger_depth() > 1 then return new; end if;
      if new.sequence = 1 then return null; end if;
      if new.sequence = 2 then
        copy := new;
        copy.id := new.id || 'x';
        copy.sequence := 1;
        insert into message select copy.*;
      end if;
      return new;
    end $$;
  create trigger planted before insert on message for each row execute function plant();
  create function keep() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger kept before delete on mail for each row execute function keep()`

describe('nodes under faults', () => {
  // The long form: npm run chaos -- --seeds 50
  it('lose, double and miss nothing', { timeout: 240_000 }, async (test) => {
    const { history, violations } = await runChaos({
      seed: 1,
      durationMs: 60_000,
      nodes: 2,
      holdMsMax: 6_000,
      // Most of its time is waiting, so that other tests have the processor.
      pauseFactor: 20,
      // Two nodes and a database on a machine that may be busy with other tests.
      recoveryMsMax: 30_000,
      log: (line) => test.diagnostic(line),
    })
    assert.deepEqual(violations, [])
    const acknowledged = history.sends.filter(({ reply }) => reply?.startsWith('250'))
    assert.ok(acknowledged.length > 0 && history.faults.length > 3, 'the test tested nothing')
  })

  it('are found out when they lose, double, miss or leave behind', {
    timeout: 240_000,
  }, async () => {
    const { violations } = await runChaos({
      seed: 1,
      durationMs: 6_000,
      // The announcement of a mail answers waits at its own node, also when it is not stored.
      nodes: 2,
      holdMsMax: 500,
      recoveryMsMax: 30_000,
      kinds: ['foreignNotify'],
      planted: PLANTED,
      // A mail that arrives at the end of a wait proves nothing.
      waiters: 10,
      pauseFactor: 5,
      log: () => {},
    })
    const kinds = new Set(violations.map(({ kind }) => kind))
    for (const kind of ['lost', 'doubled', 'missed', 'orphan']) {
      assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds].join()}`)
    }
  })
})
