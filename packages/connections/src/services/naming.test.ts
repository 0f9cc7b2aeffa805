/** The names of what members show: the table of cases, and that they stay. */
import { expect, test } from 'vitest';
import type { Named, NamingCase } from './naming.ts';
import { settleNames } from './naming.ts';

const VIR = 'vir_1';
const members = (...given: [id: string, names: string[], prefix?: string][]) =>
  given.map(([connectionId, names, prefix = null]) => ({
    connectionId,
    alias: connectionId.replace('conn_', ''),
    prefix,
    names,
  }));

function exposed(given: Partial<NamingCase>): Record<string, string> {
  const { names } = settleNames({
    virtualMcpId: VIR,
    kind: 'tools',
    own: [],
    kept: [],
    members: [],
    ...given,
  });
  return Object.fromEntries(
    names.map((named) => [`${named.connection_id} ${named.upstream_name}`, named.exposed_name]),
  );
}

const kept = (connection_id: string, upstream_name: string, exposed_name: string): Named => ({
  connection_id,
  upstream_name,
  exposed_name,
});

test('a free name is kept, then the first member has it, and a tool in code before all', () => {
  const given = members(['conn_a', ['x', 'y']], ['conn_b', ['x']]);
  expect(exposed({ members: given })).toEqual({ 'conn_a x': 'x', 'conn_a y': 'y', 'conn_b x': 'b_x' });
  expect(exposed({ members: given, own: ['x'] })).toEqual({
    'conn_a x': 'a_x',
    'conn_a y': 'y',
    'conn_b x': 'b_x',
  });
});

test('what was kept stays in any order, and comes back after a tool in code has gone', () => {
  const rows = [kept('conn_a', 'x', 'x'), kept('conn_a', 'x', 'a_x'), kept('conn_b', 'x', 'b_x')];
  const given = members(['conn_b', ['x']], ['conn_a', ['x']]);
  expect(exposed({ members: given, kept: rows })).toEqual({ 'conn_b x': 'b_x', 'conn_a x': 'x' });
  expect(exposed({ members: given, kept: rows, own: ['x'] })).toEqual({
    'conn_b x': 'b_x',
    'conn_a x': 'a_x',
  });
});

test('a name that is taken in every form gets its hash', () => {
  const given = members(['conn_a', ['x', 'b_x']], ['conn_b', ['x']]);
  expect(exposed({ members: given })['conn_b x']).toMatch(/^b_x_[0-9a-f]{8}$/);
});

test('unsafe and long names are made fit, each to another one', () => {
  const long = 'n'.repeat(100);
  const all = exposed({ members: members(['conn_a', ['a b', 'a.b', '_x', long, `${long}2`]]) });
  expect(all['conn_a a b']).toBe('a_b');
  expect(all['conn_a a.b']).toBe('a_a_b');
  expect(all['conn_a _x']).toBe('x_x');
  expect(all[`conn_a ${long}`]).toMatch(/^n{55}_[0-9a-f]{8}$/);
  expect(new Set(Object.values(all)).size).toBe(5);
});

test('a prefix is part of the name, and of who holds it', () => {
  const given = members(['conn_a', ['x'], 'p_'], ['conn_b', ['p_x']]);
  expect(exposed({ members: given })).toEqual({ 'conn_a x': 'p_x', 'conn_b p_x': 'b_p_x' });
});

test('URIs collide into one of ours, pages of apps into their own scheme', () => {
  const uris = ['docs://a/{id}', 'ui://page', 'mine://x'];
  const given = members(['conn_a', uris.slice(0, 2)], ['conn_b', uris]);
  expect(exposed({ kind: 'resources', members: given })).toEqual({
    'conn_a docs://a/{id}': 'docs://a/{id}',
    'conn_a ui://page': 'ui://page',
    'conn_b docs://a/{id}': 'parley://b/docs%3A%2F%2Fa%2F{id}',
    'conn_b ui://page': 'ui://b/page',
    'conn_b mine://x': 'mine://x',
  });
});
