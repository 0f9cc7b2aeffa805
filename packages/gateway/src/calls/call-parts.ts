/** What the gateway gives to the engine: everything that belongs to a call, by whatever way it comes. */
import type { EngineOptions } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Limits } from '../limits.ts';
import { storedSteps } from './call-steps.ts';
import { heavyCallRate } from './heavy-rate.ts';
import type { DetailOf } from './record.ts';
import { recordTo } from './record.ts';
import { unavailableStore } from './unavailable-store.ts';

/** The parts of an engine that come from the gateway; `observe` is the last stage of a call, its record. */
export type CallParts = Required<Pick<EngineOptions, 'middleware' | 'steps' | 'observe'>>;

/** Creates the parts over one store. */
export function callParts(store: Store, limits: Limits, detailOf?: DetailOf): CallParts {
  return {
    middleware: [heavyCallRate(limits), unavailableStore()],
    steps: storedSteps(store),
    observe: recordTo(store, detailOf),
  };
}
