/** The fault "kill -9 of a process that publishes or delivers": every committed event arrives, in order. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import type { StoreOptions } from '@parley/store';
import type { OpenStore } from '@parley/store/testing';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { serveForTest } from '@parley/test-support/scripted-server';
import { expect, onTestFinished, test } from 'vitest';
import type { ProgramOptions } from './events-program.ts';

const SUBJECTS = ['one', 'two', 'three'];

/** So much later the lease of a dead process is over. */
const LATER_MS = 60 * 60_000;

/** A receiver that answers nothing until it is let go. */
async function startReceiver() {
  const seen: string[] = [];
  const taken: string[] = [];
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const { host } = await serveForTest(({ body }, response) => {
    const { subject } = JSON.parse(body) as { subject: string };
    seen.push(subject);
    if (!isOpen) return waiting.push(response);
    taken.push(subject);
    return response.end();
  });
  return { host, seen, taken, open: () => (isOpen = true) };
}

async function openFaultBed(open: OpenStore, where: () => Promise<StoreOptions>) {
  const receiver = await startReceiver();
  const store = await open();
  await store.migrate([taskMigrations, eventMigrations]);
  // Ahead of the process that dies: what it held is free at once, and no lease must be short for it.
  const now = () => Date.now() + LATER_MS;
  const tasks = createTaskEngine({ store, now, limits: { takeoverMs: 100 } });
  const faults: unknown[] = [];
  const egress = createEgress({ allow: [receiver.host] });
  const events = createEvents({ store, tasks, egress, now, onFault: (error) => faults.push(error) });
  onTestFinished(async () => {
    await events.stop();
    await tasks.stop();
    await egress.close();
  });
  const { webhook } = await events.webhooks.create('org_test', {
    url: `http://${receiver.host}/`,
    events: ['*'],
  });
  const run = async (afterwards: ProgramOptions['afterwards']) => {
    const options: ProgramOptions = {
      store: await where(),
      allow: [receiver.host],
      subjects: SUBJECTS,
      afterwards,
    };
    const child = fork(join(import.meta.dirname, 'events-program.ts'), [JSON.stringify(options)], {
      execArgv: [],
    });
    const gone = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await gone;
    });
    return { child, gone };
  };
  const found = () => events.webhooks.deliveries('org_test', webhook.id, { limit: 10 });
  return { receiver, tasks, events, faults, run, found };
}

onBothEngines('kill -9 around a delivery', (open, _engine, where) => {
  test('check 27: between the commit and the delivery: nothing is lost', async () => {
    const bed = await openFaultBed(open, where);
    const { gone } = await bed.run('die');
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect((await bed.found()).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
    expect(bed.receiver.seen).toEqual([]);
    bed.receiver.open();
    bed.tasks.start();
    bed.events.start();
    await eventually(() => expect(bed.receiver.taken).toEqual(SUBJECTS));
    await eventually(async () =>
      expect((await bed.found()).every(({ status }) => status === 'delivered')).toBe(true),
    );
    expect(bed.receiver.seen).toEqual(SUBJECTS);
    expect(bed.faults).toEqual([]);
  });

  test('in the middle of a request: it is sent again, and the others follow in order', async () => {
    const bed = await openFaultBed(open, where);
    const { child, gone } = await bed.run('deliver');
    await eventually(async () => expect(await bed.found()).toHaveLength(SUBJECTS.length));
    await eventually(() => expect(bed.receiver.seen).toEqual(['one']));
    child.kill('SIGKILL');
    await gone;
    bed.receiver.open();
    bed.tasks.start();
    bed.events.start();
    await eventually(() => expect(bed.receiver.taken).toEqual(SUBJECTS));
    await eventually(async () =>
      expect((await bed.found()).map(({ status, attempts }) => [status, attempts])).toEqual([
        ['delivered', 1],
        ['delivered', 1],
        ['delivered', 1],
      ]),
    );
    expect(bed.receiver.seen).toEqual(['one', ...SUBJECTS]);
    expect(bed.faults).toEqual([]);
  });
});
