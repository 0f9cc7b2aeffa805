/** `parley webhooks`: from the command line alone another server hears of annotations, of tasks, and of nothing else. */
import { serveForTest } from '@parley/test-support/scripted-server';
import { linesOf } from '@parley/test-support/table-lines';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { openPage, tokenOf } from './annotations-page.ts';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

test('a webhook is added, tried, told of an annotation, listed and removed', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  let answer = 204;
  const heard: { type: string; data?: { text?: string } }[] = [];
  const { host } = await serveForTest(({ body }, response) => {
    heard.push(JSON.parse(body) as { type: string });
    response.writeHead(answer).end();
  });
  const allow = ['--allow-egress', host];
  await using server = await startParley(folder.path, { args: allow });
  const webhooks = (...args: string[]) => runParley(['webhooks', ...args, '--data', folder.path, ...allow]);
  const url = `http://${host}/hook`;

  // What a receiver takes for Parley's own word nobody else can say, whatever their key.
  const publish = (type: string) =>
    fetch(`${server.url}/api/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type }),
    });
  const documented = linesOf(new URL('../../docs/events.md', import.meta.url), 'Every type').map((line) =>
    line('type').replaceAll('`', ''),
  );
  expect(documented).toContain('post.created');
  for (const type of documented) {
    const answer = await publish(type);
    expect([type, answer.status, await answer.text()]).toEqual([
      type,
      400,
      expect.stringContaining(`type: ${type} is published by Parley itself. Choose another.`),
    ]);
  }
  expect((await publish('post.created.again')).status).toBe(200);
  const { body } = await callTool(server, 'EVENT_PUBLISH', { type: 'annotation.created' });
  expect(body.result).toMatchObject({ isError: true });

  const added = await webhooks('add', url, '--events', 'annotation.*,task.completed', '--json');
  const { id, secret } = JSON.parse(added.stdout) as { id: string; secret: string };
  expect([added.code, secret]).toEqual([0, expect.stringMatching(/^whsec_/)]);
  const took = await webhooks('test', id);
  expect([took.code, took.stdout]).toEqual([
    0,
    expect.stringMatching(/^The receiver took the test event \(204/),
  ]);
  answer = 500;
  const failed = await webhooks('test', id);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/^The receiver did not take it: /)]);
  const asJson = await webhooks('test', id, '--json');
  expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([1, { error: expect.any(String) }]);
  answer = 204;
  // The address is allowed to the server alone.
  const alone = await runParley(['webhooks', 'test', id, '--data', folder.path]);
  expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('not allowed')]);
  expect(heard.splice(0).map(({ type }) => type)).toEqual(['webhook.test', 'webhook.test', 'webhook.test']);
  const tag = (JSON.parse(server.stdout().split('\n')[0] ?? '') as { overlayTag: string }).overlayTag;
  const page = await openPage(server.url, tokenOf(tag));
  await page.annotate('Make it blue');
  await eventually(() =>
    expect(heard).toMatchObject([{ type: 'annotation.created', data: { text: 'Make it blue' } }]),
  );
  page.close();

  const listed = await webhooks('list');
  expect(listed.stdout).toMatch(/^ID +STATE +URL +EVENTS +LAST OUTCOME\n/);
  expect(listed.stdout).toContain(`${id}  enabled  ${url}  annotation.*,task.completed  `);
  // The receiver has answered; the delivery may not be noted yet.
  expect(listed.stdout).toMatch(/ (?:delivered|none yet)\n/);
  expect(listed.stdout).not.toContain(secret);
  expect((await webhooks('remove', id)).code).toBe(0);
  expect((await webhooks('remove', id)).stderr).toBe('parley: Webhook not found\n');
  expect((await webhooks('add', url)).code).toBe(2);
  expect((await webhooks('add', url, '--events', 'a*')).stderr).toContain('is no event type');
  const unheard = await webhooks('add', url, '--events', 'annotations.*,task.completed,shop.sold', '--json');
  expect(unheard.code).toBe(0);
  expect(unheard.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^Note: .* annotations\.\*; .* Near: annotation\.\*\.$/),
    expect.stringMatching(/^Note: .* shop\.sold; it is for types of your own\.$/),
  ]);
  const forbidden = await webhooks('add', 'http://127.0.0.1:9/', '--events', '*');
  expect(forbidden.stderr).toContain('not allowed');
  expect(forbidden.stderr).toContain('--allow-egress HOST:PORT');
  const created = await runParley([
    'keys',
    'create',
    'Narrow',
    '--grant',
    'parley:*',
    '--data',
    folder.path,
    '--json',
  ]);
  const { key } = JSON.parse(created.stdout) as { key: string };
  const refused = await webhooks('list', '--key', key);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Only an owner or admin')]);
}, 60_000);
