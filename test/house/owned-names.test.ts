/** Names of toolsets and roles are found where they do not belong. */
import { test } from 'vitest';
import type { Breach } from './breach.ts';
import { DOC, expectBroken } from './breach.ts';

const TOOLSET = `${DOC}export const lamps = defineToolset({ name: 'lamps', roles: { member: ['*'] }, tools: [] });\n`;
const withLamps = { 'packages/annotations/src/toolset.ts': TOOLSET };

/** A file beside the toolset `lamps` of another package, whose only fault is on line 2. */
function beside(promise: string, path: string, code: string, rule?: string): Breach {
  const files = { ...withLamps, [path]: `${DOC}${code}\n` };
  return { promise, files, broken: rule === undefined ? [] : [`${rule} ${path}:2`] };
}

const names: Breach[] = [
  { promise: 'a toolset names itself and its roles', files: withLamps, broken: [] },
  ...['packages/kit/src/x.ts', 'packages/gateway/src/x.ts', 'apps/server/src/start/x.ts'].map((path) =>
    beside(`a toolset is not named in ${path}`, path, `export const A = 'lamps';`, 'toolset-name'),
  ),
  beside(
    'a toolset is not named by another one',
    'packages/feedback/src/x.ts',
    `export const a = (name: string) => name === 'lamps';`,
    'toolset-name',
  ),
  beside(
    'a toolset may be named in its package',
    'packages/annotations/src/x.ts',
    `export const A = 'lamps';`,
  ),
  ...['apps/server/src/toolsets.ts', 'apps/server/src/cli/lamps.ts', 'packages/kit/src/x.test.ts'].map(
    (path) => beside(`a toolset may be named in ${path}`, path, `export const A = 'lamps';`),
  ),
  beside(
    'a field of the same name is none',
    'packages/kit/src/x.ts',
    `export const a = (b: object) => 'lamps' in b;`,
  ),
  beside('a type is no name', 'packages/kit/src/x.ts', `export type A = 'lamps';`),
  ...['packages/kit/src/call/x.ts', 'packages/gateway/src/x.ts', 'apps/server/src/x.ts'].map((path) =>
    beside(
      `a role is not asked for in ${path}`,
      path,
      `export const a = (roles: string[]) => roles.includes('admin');`,
      'role-name',
    ),
  ),
  ...['owner', 'admin', 'member', 'user'].map((role) =>
    beside(
      `no caller is made with the role ${role} outside identity and toolsets`,
      'packages/store/src/x.ts',
      `export const a = { roles: ['${role}'] };`,
      'role-name',
    ),
  ),
  ...['packages/identity/src/x.ts', 'packages/kit/src/access/x.ts', 'packages/annotations/src/x.ts'].map(
    (path) =>
      beside(`a role may be named in ${path}`, path, `export const a = (role: string) => role === 'member';`),
  ),
  beside(
    'the role of a message is none',
    'packages/kit/src/x.ts',
    `export const a = { role: 'user', content: [] };`,
  ),
];

test.each(names)('$promise', (row) => expectBroken(row));
