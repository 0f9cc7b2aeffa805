/** Promises that nobody waits for, and faults that nobody hears of, are found. */
import { test } from 'vitest';
import type { Breach } from './breach.ts';
import { DOC, expectBroken } from './breach.ts';

/** A file of these lines after an empty one, in which only some lines are faults. */
function lines(promise: string, path: string, code: string[], rule: string, at: number[]): Breach {
  const files = { [path]: `${DOC}\n${code.join('\n')}\n` };
  return { promise, files, broken: at.map((line) => `${rule} ${path}:${line + 2}`) };
}

const promises: Breach[] = [
  ...['packages/kit/src/x.ts', 'apps/server/src/x.test.ts', 'test/product/x.ts', 'bench/x.ts'].map((path) =>
    lines(
      `work that nobody waits for goes through detach: ${path}`,
      path,
      [
        'work().catch(report);',
        'work().then(go, report);',
        'setTimeout(() => {',
        '  this.work?.().finally(go);',
        '}, 1);',
        'await work().catch(report);',
        'const going = work().then(go);',
        'export const run = () => going.catch(report);',
        'detach(work().then(go), report);',
      ],
      'detached-promise',
      [1, 2, 4],
    ),
  ),
  {
    promise: 'only detach itself may handle a promise and let it go',
    files: {
      'packages/kit/src/detach.ts': `${DOC}export const detach = (work) => {\n  work.then(a, b);\n};\n`,
    },
    broken: [],
  },
  lines(
    'a fault is not swallowed without a reason',
    'packages/kit/src/x.ts',
    [
      'await work().catch(() => undefined);',
      'await work().catch(() => {});',
      'await work().catch(function () {});',
      'await work().then(go, () => null);',
      'detach(work(), () => undefined);',
      'try {',
      '  // Tries.',
      '  await work();',
      '} catch {}',
      'await work().catch(() => false);',
      'await work().catch(report);',
    ],
    'silent-fault',
    [1, 2, 3, 4, 5, 9],
  ),
  lines(
    'a fault may be let go with its reason beside it',
    'test/product/x.ts',
    [
      '// Whoever asked is told.',
      'await work().catch(() => undefined);',
      'await work()',
      '  // It has ended before.',
      '  .catch(() => undefined);',
      'detach(work(), () => undefined); // nobody waits',
      'try {',
      '  await work();',
      '} catch {',
      '  // There is nobody left to tell.',
      '}',
    ],
    'silent-fault',
    [],
  ),
];

test.each(promises)('$promise', (row) => expectBroken(row));
