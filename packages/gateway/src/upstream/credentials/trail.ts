/** The steps of an authorization as they are taken, in sentences for the person who takes them. */
import type { AuthStep, AuthStepName, FlowPlace } from '@parley/connections';
import { keepTrail, trailOf } from '@parley/connections';
import type { CredentialParts } from './parts.ts';

type Parts = Pick<CredentialParts, 'store' | 'now'>;

/** What a step is about, where it fails before it says anything itself. */
const ORDER: readonly AuthStepName[] = [
  'asked',
  'metadata',
  'server',
  'client',
  'sent',
  'returned',
  'token',
  'catalog',
];

export class Trail {
  readonly #now: () => number;
  #steps: AuthStep[];

  constructor(now: () => number, steps: readonly AuthStep[] = []) {
    this.#now = now;
    this.#steps = [...steps];
  }

  get steps(): readonly AuthStep[] {
    return this.#steps;
  }

  /** A step was taken; one that waited for it is over. */
  note(step: AuthStepName, text: string, state: AuthStep['state'] = 'done'): void {
    const settled = this.#steps.map((each) =>
      each.state === 'waiting' ? { ...each, state: 'done' as const } : each,
    );
    const at = new Date(this.#now()).toISOString();
    this.#steps = [...settled.filter((each) => each.step !== step), { step, state, text, at }];
  }

  /** The step after the last one could not be taken. */
  fail(text: string): void {
    const last = this.#steps.at(-1)?.step;
    const next = last === undefined ? 'asked' : (ORDER[ORDER.indexOf(last) + 1] ?? last);
    this.note(next, text, 'failed');
  }

  /** Keeps it for whoever began the authorization. */
  async keep({ store, now }: Parts, place: FlowPlace): Promise<void> {
    await store.transaction((tx) => keepTrail(tx, place, { steps: this.#steps, now: now() }));
  }
}

/** The trail of an authorization that was begun, here or in another process. */
export async function begunTrail({ store, now }: Parts, place: FlowPlace): Promise<Trail> {
  return new Trail(now, await trailOf(store, place));
}
