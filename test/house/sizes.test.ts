import { expect, test } from 'vitest';
import { checkSizes } from '../../scripts/check/sizes.ts';
import { checkWorkspace } from './workspace.ts';

const long = 'a;\n'.repeat(501);
const EXCEPTIONS = 'scripts/check/size-exceptions.json';

test('a source file over the cap is named, one at the cap and a long test are not', () => {
  const files = {
    'packages/kit/src/long.ts': long,
    'packages/kit/src/full.ts': 'a;\n'.repeat(500),
    'packages/kit/src/long.test.ts': long,
  };
  const { findings, notes } = checkWorkspace(files, checkSizes);
  expect(findings.map(({ rule, file }) => `${rule} ${file}`)).toEqual(['size packages/kit/src/long.ts']);
  expect(notes.join('\n')).toContain('501 packages/kit/src/long.test.ts');
});

test('an exception with its reason passes and is printed', () => {
  const files = {
    'packages/kit/src/long.ts': long,
    [EXCEPTIONS]: JSON.stringify({ 'packages/kit/src/long.ts': 'a table of data' }),
  };
  const { findings, notes } = checkWorkspace(files, checkSizes);
  expect(findings).toEqual([]);
  expect(notes).toContain('exception packages/kit/src/long.ts: a table of data');
});

test('an exception that is no longer needed must go', () => {
  const files = { [EXCEPTIONS]: JSON.stringify({ 'packages/kit/src/index.ts': 'was long' }) };
  const { findings } = checkWorkspace(files, checkSizes);
  expect(findings.map(({ file }) => file)).toEqual([EXCEPTIONS]);
});
