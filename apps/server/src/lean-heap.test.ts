/** A server gives the memory of its load back when nobody asks it for anything any more. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collect, createHeapGrowth, keepHeapSmall } from './lean-heap.ts';

const MINUTE_MS = 60_000;
const MB = 1024 * 1024;

beforeEach(() => {
  vi.useFakeTimers();
  keepHeapSmall();
});
afterEach(() => {
  vi.useRealTimers();
  setFlagsFromString('--semi-space-growth-factor=2');
});

const heapMb = () => getHeapStatistics().total_heap_size / MB;

/** What a load leaves behind: a heap that grew, with nothing in it that is in use. */
function load(onRequest: () => void): void {
  const held: number[][] = [];
  for (let request = 0; request < 1000; request++) {
    onRequest();
    held.push(Array.from({ length: 10_000 }, (_, index) => index + 0.5));
  }
}

test('after a minute of silence', () => {
  const onRequest = createHeapGrowth();
  load(onRequest);
  const loaded = heapMb();
  vi.advanceTimersByTime(MINUTE_MS);
  expect(loaded - heapMb()).toBeGreaterThan(40);
});

test('what a start left behind at once', () => {
  load(() => undefined);
  const started = heapMb();
  collect();
  expect(started - heapMb()).toBeGreaterThan(40);
});

test('not while requests come', () => {
  const onRequest = createHeapGrowth();
  load(onRequest);
  const loaded = heapMb();
  for (let second = 0; second < 60; second++) {
    onRequest();
    vi.advanceTimersByTime(1000);
  }
  expect(heapMb()).toBeGreaterThanOrEqual(loaded - 1);
});

test('and a server that never had load is left alone', () => {
  const onRequest = createHeapGrowth();
  load(() => undefined);
  onRequest();
  const loaded = heapMb();
  vi.advanceTimersByTime(MINUTE_MS);
  expect(heapMb()).toBeGreaterThanOrEqual(loaded - 1);
});
