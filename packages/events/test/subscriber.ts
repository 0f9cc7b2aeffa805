/** A connection in this process whose every answer a test decides. */
import type { CloudEvent } from '../src/cloud-event.ts';
import type { DeliveryAnswer } from '../src/subscribers/answer.ts';
import type { Deliver, Subscriber } from '../src/subscribers/target.ts';

export interface ScriptedSubscriber {
  readonly deliver: Deliver;
  /** Each call, as the ids and subjects it brought. */
  readonly calls: { readonly subscriber: Subscriber; readonly events: readonly CloudEvent[] }[];
  script: (events: readonly CloudEvent[], signal: AbortSignal) => DeliveryAnswer | Promise<DeliveryAnswer>;
}

/** Takes everything until its script is changed. */
export function scriptedSubscriber(): ScriptedSubscriber {
  const subscriber: ScriptedSubscriber = {
    calls: [],
    script: () => ({ kind: 'answered', answer: {} }),
    async deliver(target, events, signal) {
      subscriber.calls.push({ subscriber: target, events });
      return subscriber.script(events, signal);
    },
  };
  return subscriber;
}

/** The answer of a subscriber that was reached. */
export const answered = (answer: unknown): DeliveryAnswer => ({ kind: 'answered', answer });
