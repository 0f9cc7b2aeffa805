/** Whose fault it is that a document is not there in time. */
import { createEgress } from '@parley/kit/egress';
import { expect, onTestFinished, test } from 'vitest';
import { faultOf, service, targetAt } from '../../../test/openapi-bed.ts';
import { OutOfTime } from '../faults.ts';
import { Documents } from './documents.ts';

test('a document that has come and waits for its turn is not blamed on its server', async () => {
  const egress = createEgress();
  onTestFinished(() => egress.close());
  const begun = Promise.withResolvers<void>();
  const translator = {
    translate() {
      begun.resolve();
      return new Promise<never>(() => undefined);
    },
    close: async () => undefined,
  };
  const documents = new Documents({ egress, translator, now: () => 0 });
  const ended = new AbortController();
  const fault = faultOf(documents.current(targetAt(await service()), ended.signal));
  await begun.promise;
  ended.abort(new OutOfTime());
  expect(await fault).toMatchObject({
    kind: 'unreachable',
    wasSent: false,
    message: expect.stringContaining('others are read before it') as unknown,
  });
});
