/** What the server composes from toolsets, and which toolsets it cannot serve. */
import { joinRoleDefaults, roleDefaultsOf } from '@parley/identity';
import { defineToolset } from '@parley/kit';
import type { MigrationSet } from '@parley/store';
import { expect, test } from 'vitest';
import type { AppHost, ServedToolset } from './served-toolset.ts';
import { migrationsIn, openPathsOf } from './served-toolset.ts';

const names = { name: 'lamps', title: 'Lamps', tools: [] } as const;
const migrations: MigrationSet = { name: 'lamps', migrations: {} };

const lamps = defineToolset({
  ...names,
  rights: ['look'],
  roles: { member: ['*'], user: ['look'] },
  open: ['/lamps'],
  migrations,
  services: (host: AppHost) => ({ store: host.store }),
});
const plain = defineToolset({ ...names, name: 'plain', roles: { member: [] } });

test('what toolsets declare is composed, and what they do not is not there', () => {
  expect(roleDefaultsOf([lamps, plain])).toEqual({ member: { lamps: ['*'] }, user: { lamps: ['look'] } });
  expect(migrationsIn([lamps, plain])).toEqual([migrations]);
  expect(openPathsOf([lamps, plain])).toEqual(['/lamps']);
  const others = { member: { lamps: ['dim'], tables: ['*'] }, user: {} };
  expect(joinRoleDefaults(roleDefaultsOf([lamps]), others)).toEqual({
    member: { lamps: ['*', 'dim'], tables: ['*'] },
    user: { lamps: ['look'] },
  });
});

test('a toolset that asks for more than the host has, or brings other things, does not compile', () => {
  // @ts-expect-error -- the host has no moon
  const asking: ServedToolset = defineToolset({
    ...names,
    services: (host: AppHost & { moon: true }) => host,
  });
  // @ts-expect-error -- a name is no set of migrations
  const migrating: ServedToolset = defineToolset({ ...names, migrations: 'lamps' });
  // @ts-expect-error -- a path is no set of routes
  const routing: ServedToolset = defineToolset({ ...names, routes: () => '/lamps' });
  // @ts-expect-error -- owners hold everything already
  const owning = defineToolset({ ...names, roles: { owner: ['*'] } });
  expect([asking, migrating, routing, owning]).toHaveLength(4);
});
