/** A second process on the same data: takes notes up as fast as it can, or makes them when told. */
import { createInterface } from 'node:readline';
import { annotationMigrations, createAnnotationServices } from '@parley/annotations';
import { testCaller } from '@parley/kit/testing';
import type { StoreOptions } from '@parley/store';
import { openStore } from '@parley/store';
import { randomUUID } from 'node:crypto';
import { noteOf } from './annotations-page.ts';

/** One order per line. */
export type RacerOrder =
  | { readonly do: 'acknowledge'; readonly ids: readonly string[]; readonly at: number }
  | { readonly do: 'create'; readonly session: { id: string; organization_id: string } };

const { options, name }: { options: StoreOptions; name: string } = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options);
await store.migrate([annotationMigrations]);
const services = createAnnotationServices({ store });
const caller = testCaller({ id: `caller_${name}`, name });

async function acknowledge(id: string): Promise<string> {
  return services.agent.acknowledge(caller, id, `taken by ${name}`).then(
    () => 'won',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as RacerOrder;
  if (order.do === 'create') {
    const { annotation } = await services.person.create(order.session, noteOf('From afar', randomUUID()));
    process.stdout.write(`${JSON.stringify({ id: annotation.id })}\n`);
    continue;
  }
  // Both processes begin at the same moment of the same clock.
  while (Date.now() < order.at);
  const outcomes: string[] = [];
  for (const id of order.ids) outcomes.push(await acknowledge(id));
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}
await services.close();
await store.close();
