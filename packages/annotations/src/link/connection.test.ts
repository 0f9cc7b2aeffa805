import { expect, test } from 'vitest';
import type { SessionRow } from '../schema.ts';
import { PageLink } from './connection.ts';
import { Meter } from './meter.ts';
import { DEFAULT_ANNOTATION_LIMITS } from '../limits.ts';

// Only the identity of the session matters to a connection.
const SESSION = { id: 'ses_test' } as SessionRow;

function connection() {
  let now = 0;
  const sent: string[] = [];
  const closed: number[] = [];
  const channel = {
    send: (text: string) => {
      sent.push(text);
    },
    close: (code: number) => {
      closed.push(code);
    },
  };
  const made = new PageLink(SESSION, channel, () => now);
  return { made, sent, closed, pass: (ms: number) => (now += ms) };
}

test('a page that is silent for three pings is closed, one that speaks is not', () => {
  const { made, closed, pass } = connection();
  pass(29_000);
  made.heard();
  pass(29_000);
  made.closeIfSilent(30_000);
  expect(closed).toEqual([]);
  pass(1001);
  made.closeIfSilent(30_000);
  expect(closed).toEqual([1001]);
});

test('what changes before a page is ready is not sent early, and is not forgotten', () => {
  const { made, sent } = connection();
  made.sync([]);
  expect(sent).toEqual([]);
  expect(made.begin([], { state: 'none', agents: [] })).toBe(true);
  expect(sent.map((text) => (JSON.parse(text) as { type: string }).type)).toEqual([
    'annotations:sync',
    'presence',
  ]);
});

test('presence is told when it is news, not when only its time moved', () => {
  const { made, sent } = connection();
  const at = (lastSeenAt: string) => ({ state: 'watching' as const, agents: [{ name: 'Ada', lastSeenAt }] });
  made.begin([], at('2026-01-01T00:00:00.000Z'));
  const before = sent.length;
  made.tellPresence(at('2026-01-01T00:00:10.000Z'));
  expect(sent).toHaveLength(before);
  made.tellPresence({ ...at('2026-01-01T00:00:10.000Z'), state: 'working' });
  expect(sent).toHaveLength(before + 1);
});

test('a meter gives its burst, then its rate, and counts violations by the minute', () => {
  let now = 0;
  const meter = new Meter(DEFAULT_ANNOTATION_LIMITS, () => now);
  const taken = () => Array.from({ length: 100 }, () => meter.take('ses')).filter(Boolean).length;
  expect(taken()).toBe(60);
  now += 1000;
  expect(taken()).toBe(20);
  expect([meter.noteViolation('ses'), meter.noteViolation('ses')]).toEqual([false, false]);
  now += 60_000;
  expect([meter.noteViolation('ses'), meter.noteViolation('ses'), meter.noteViolation('ses')]).toEqual([
    false,
    false,
    true,
  ]);
});
