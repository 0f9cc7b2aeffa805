/** The formulas of reputation and of health, at their edges. */
import { expect, test } from 'vitest';
import { trendOf } from '../health/trend.ts';
import type { Figures } from './score.ts';
import { levelOf, levelOfCount, lowerOf, scoreOf } from './score.ts';

const NEW: Figures = {
  completedTasks: 0,
  failedTasks: 0,
  reviews: 0,
  meanRating: 0,
  paidDebits: 0,
  refusedDebits: 0,
  violations: 0,
  sessions: 0,
};

test.each<[string, Partial<Figures>, number]>([
  ['a new agent', {}, 55],
  ['two tasks say nothing yet', { completedTasks: 2 }, 55],
  ['three tasks, all done', { completedTasks: 3 }, 70],
  ['three tasks, one done', { completedTasks: 1, failedTasks: 2 }, 50],
  ['the best reviews', { reviews: 1, meanRating: 5 }, 68],
  ['a half is rounded up', { reviews: 2, meanRating: 4.5 }, 65],
  ['every debit refused', { refusedDebits: 4 }, 48],
  ['more violations than points', { violations: 9 }, 35],
  ['more sessions than count', { sessions: 99 }, 65],
  ['the best there is', { completedTasks: 9, reviews: 1, meanRating: 5, paidDebits: 1, sessions: 10 }, 100],
  ['the worst there is', { failedTasks: 9, reviews: 1, meanRating: 1, refusedDebits: 1, violations: 5 }, 5],
])('%s', (_, figures, overall) => {
  expect(scoreOf({ ...NEW, ...figures }).overall).toBe(overall);
});

const LEVELS = ['verified', 'high', 'high', 'medium', 'medium', 'low', 'low', 'untrusted'];

test('levels begin where they should', () => {
  expect([90, 89, 70, 69, 50, 49, 25, 24].map(levelOf)).toEqual(LEVELS);
  expect([10, 9, 6, 5, 3, 2, 1, 0].map(levelOfCount)).toEqual(LEVELS);
  expect([lowerOf('high', 'low'), lowerOf('low', 'high')]).toEqual(['low', 'low']);
});

test.each([
  [[], 'unknown'],
  [[5], 'unknown'],
  [[5, 5], 'stable'],
  [[5, 5.9], 'stable'],
  [[5, 6], 'regressing'],
  [[5, 4], 'improving'],
  [[100, 109], 'stable'],
  [[100, 110], 'regressing'],
  [[100, 90], 'improving'],
  // of three values the first two are the older half
  [[10, 0, 5], 'stable'],
  [[0, 10, 0], 'improving'],
] as const)('the trend of %j is %s', (values, trend) => {
  expect(trendOf(values)).toBe(trend);
});
