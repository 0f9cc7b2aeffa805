/** The code of a project, as an operator and an agent have it: by the command, over HTTP, and from the built server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

test('an owner gives a project its code, and an agent finds symbols in it', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const [data, root] = [join(folder.path, 'data'), join(folder.path, 'root')];
  mkdirSync(join(root, 'shop'), { recursive: true });
  writeFileSync(join(root, 'shop', 'till.ts'), 'export class Till {\n  open() {}\n}\n');
  await using server = await startParley(data, { args: ['--project-root', root] });
  const projects = (...args: string[]) => runParley(['projects', ...args, '--data', data, '--json']);
  const made = await projects('create', 'shop', '--name', 'The shop');
  const { id } = JSON.parse(made.stdout) as { id: string };
  const listed = JSON.parse((await projects('list')).stdout) as unknown[];
  expect(listed).toContainEqual(expect.objectContaining({ id, name: 'The shop', code: null }));
  expect((await projects('create', 'Shop')).stderr).toContain('SLUG: must have');
  expect((await projects('create', 'shop')).code).toBe(1);
  const shop = join(root, 'shop');
  const refused = await projects('set-code', id, '--folder', shop);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--project-root DIR')]);
  expect((await projects('set-code', id)).code).toBe(2);
  const set = await projects('set-code', id, '--folder', shop, '--check', 'npm test', '--project-root', root);
  expect(JSON.parse(set.stdout)).toMatchObject({
    id,
    folder: expect.stringContaining('shop'),
    check: 'npm test',
  });
  const hired = await fetch(`${server.url}/api/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', default_project_id: id }),
  });
  const { data: agent } = (await hired.json()) as { data: { key: string } };
  const call = async (name: string, args: Record<string, unknown>) => {
    const { body } = await post(
      `${server.mcp}/agent`,
      agent.key,
      message(1, 'tools/call', { name, arguments: args }),
    );
    return body.result?.structuredContent;
  };
  expect(await call('corvid_list_projects', {})).toMatchObject({ projects: [{ id, has_code: true }] });
  expect(await call('corvid_code_symbols', { query: 'till' })).toMatchObject({
    symbols: [{ name: 'Till', kind: 'class', file: 'till.ts', start_line: 1, end_line: 3 }],
  });
  expect(await call('corvid_find_references', { symbol_name: 'open' })).toMatchObject({ total: 1 });
});
