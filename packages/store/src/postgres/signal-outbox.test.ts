/** Signals on their way to other processes: joined, each once, within what PostgreSQL carries. */
import { expect, test } from 'vitest';
import type { SignalEvent } from '../signals/change-signal.ts';
import { SignalOutbox } from './signal-outbox.ts';

const signal = (topic: string, payload: string | null = null): SignalEvent => ({ topic, payload });
const heard = (messages: string[]) => messages.flatMap((message) => new SignalOutbox('there').read(message));
const bytes = (messages: string[]) => messages.map((message) => Buffer.byteLength(message));

test('one signal is told as ever, and several in one message', () => {
  const outbox = new SignalOutbox('here');
  outbox.add([signal('notes', '1')]);
  expect(outbox.take()).toEqual(['["here","notes","1"]']);
  outbox.add([signal('notes', '1'), signal('notes', '2'), signal('tasks')]);
  const messages = outbox.take();
  expect(messages).toHaveLength(1);
  expect(heard(messages)).toEqual([signal('notes', '1'), signal('notes', '2'), signal('tasks')]);
  expect([outbox.isEmpty, outbox.take()]).toEqual([true, []]);
});

test('an older version, which knows no joined messages, takes one for "read everything again"', () => {
  const outbox = new SignalOutbox('here');
  outbox.add([signal('notes', '1'), signal('notes', '2')]);
  const [message = ''] = outbox.take();
  const [origin, topic, payload] = JSON.parse(message) as unknown[];
  expect([origin, topic, payload]).toEqual(['here', '*', null]);
});

test('what a process told itself it does not hear again', () => {
  const outbox = new SignalOutbox('here');
  outbox.add([signal('notes'), signal('tasks')]);
  const [message = ''] = outbox.take();
  expect(outbox.read(message)).toEqual([]);
});

test('the same signal waits once', () => {
  const outbox = new SignalOutbox('here');
  for (let turn = 0; turn < 1_000; turn += 1) outbox.add([signal('ready')]);
  expect(heard(outbox.take())).toEqual([signal('ready')]);
});

test('no message is longer than PostgreSQL takes, whatever is in it', () => {
  const outbox = new SignalOutbox('here');
  const all = Array.from({ length: 500 }, (_, index) => signal(`notes/${index}`, 'ü"\\'.repeat(index % 90)));
  outbox.add(all);
  const messages: string[] = [];
  while (!outbox.isEmpty) messages.push(...outbox.take());
  expect(Math.max(...bytes(messages))).toBeLessThan(8_000);
  expect(messages.length).toBeLessThan(60);
  expect(heard(messages)).toEqual(all);
});

test('a signal that does not fit once it is written down makes others read everything again', () => {
  const outbox = new SignalOutbox('here');
  outbox.add([signal('notes', '\u0001'.repeat(3_900))]);
  expect(heard(outbox.take())).toEqual([signal('*')]);
});

test('what did not arrive is told again, after what came since', () => {
  const outbox = new SignalOutbox('here');
  outbox.add([signal('notes', '1'), signal('notes', '2')]);
  const lost = outbox.take();
  outbox.add([signal('notes', '3')]);
  outbox.putBack(lost);
  const told = new Set(heard(outbox.take()).map(({ payload }) => payload));
  expect(told).toEqual(new Set(['1', '2', '3']));
});

test('a queue that grows beyond its bounds is one signal: read everything again', () => {
  const outbox = new SignalOutbox('here');
  outbox.add(Array.from({ length: 10_001 }, (_, index) => signal(`notes/${index}`)));
  expect(heard(outbox.take())).toEqual([signal('*')]);
  const long = 'x'.repeat(3_900);
  outbox.add(Array.from({ length: 1_200 }, (_, index) => signal(`notes/${index}`, long)));
  const messages: string[] = [];
  while (!outbox.isEmpty) messages.push(...outbox.take());
  expect(heard(messages)[0]).toEqual(signal('*'));
  expect(messages.length).toBeLessThan(200);
});
