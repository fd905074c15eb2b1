import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../index.ts';
import { RunState } from './run-state.ts';
import { TurnWatchdog } from './turn-watchdog.ts';

const DONE = new Error('enough ticks');

/** Watches a run whose outcome is sent, for 900 ms; `onLook` is called before each look at its turn, two in each tick. */
function isKilled(onLook: (state: RunState, look: number) => void): boolean {
  let [ticks, looks] = [0, 0];
  class WatchedState extends RunState {
    override get isInTurn(): boolean {
      onLook(this, ++looks);
      return super.isInTurn;
    }
    override sleep(): void {
      if (++ticks === 3) throw DONE;
      super.sleep(300);
    }
  }
  const state = new WatchedState();
  state.beginRun(1, DEFAULT_LIMITS, 500);
  state.beginTurn();
  state.markEnded();
  let killed = false;
  const watchdog = new TurnWatchdog(
    state,
    () => {},
    () => {
      killed = true;
    },
  );
  assert.throws(() => watchdog.watch(), DONE);
  return killed;
}

test('a guest that computes on after its outcome was sent takes its process with it', () => {
  assert.ok(isKilled(() => {}));
});

test('a run that begins while the watchdog looks at the one before it is left alone', () => {
  const killed = isKilled((state, look) => {
    // The second look of the third tick decides on the first run.
    if (look !== 6) return;
    state.endTurn();
    state.beginRun(2, DEFAULT_LIMITS, 500);
    state.beginTurn();
  });
  assert.equal(killed, false);
});
