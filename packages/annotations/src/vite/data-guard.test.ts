import { expect, test } from 'vitest';
import { asksForData, isInside } from './data-guard.ts';
import { projectOf } from './options.ts';

const vite = { root: '/home/ada/shop', base: '/shop/', publicDir: '/home/ada/shop/public' };
const project = projectOf({}, vite);

const DATA = [
  '/.parley/owner.key',
  '/shop/.parley/owner.key',
  '/shop/.parley/owner.key?raw',
  '/.PARLEY/parley.db',
  '/%2eparley/parley.db',
  '/src/../.parley/parley.db',
  '/src/%2e%2e/.parley/parley.db',
  '/@fs/home/ada/shop/.parley/parley.db',
  '/shop/@fs/home/ada/shop/.parley/parley.db?url',
  '/@id//home/ada/shop/.parley/parley.db?raw',
  '/.parley',
  '/%ff',
];

test.each(DATA)('%s is not served', (url) => {
  expect(asksForData(url, project)).toBe(true);
});

const PAGES = [
  '/',
  '/shop/',
  '/shop/src/main.tsx?t=1',
  '/.parley-notes',
  '/__parley/overlay.js',
  '/@vite/client',
];

test.each(PAGES)('%s is served', (url) => {
  expect(asksForData(url, project)).toBe(false);
});

test('a data folder elsewhere is guarded where it is', () => {
  const elsewhere = projectOf({ data: '../notes' }, vite);
  expect(asksForData('/@fs/home/ada/notes/owner.key', elsewhere)).toBe(true);
  expect(asksForData('/notes/owner.key', elsewhere)).toBe(false);
});

test('a folder whose name only begins alike is another folder', () => {
  expect(isInside('/a/b', '/a/bc')).toBe(false);
  expect(isInside('/a/b', '/a/b/c')).toBe(true);
});
