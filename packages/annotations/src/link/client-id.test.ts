/** The id that a page gives its note: every message to the page carries it, and no agent sees it. */
import { connect } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import { startLink } from '../../test/link.ts';
import { AGENT, DIFF, note } from '../../test/notes.ts';
import { annotationsToolset } from '../toolset.ts';

test('a page gets the id that it gave its note with every message about the note', async () => {
  await using server = await startLink();
  const page = await server.hello();
  const sent = note();
  const { clientId } = sent;
  const answers = [await page.ask('annotation:create', sent)];
  const { annotation } = await page.next('annotation:created');
  const { id } = annotation;
  answers.push(
    await page.ask('annotation:edit', { id, intent: 'fix' }),
    await page.ask('annotation:reply', { id, message: 'Please' }),
  );
  await server.services.diffs.propose(AGENT, id, DIFF);
  answers.push(
    await page.ask('diff:reject', { id, revision: 1 }),
    await page.ask('annotation:reopen', { id }),
    await page.ask('annotation:delete', { id }),
    // Sent again, as after a lost answer.
    await page.ask('annotation:create', sent),
  );
  for (const answer of answers)
    expect(answer).toMatchObject({ type: 'ok', payload: { annotation: { id, clientId } } });
  const told = page.received.flatMap((message) =>
    message.type === 'annotation:created' || message.type === 'annotation:updated' ? [message.payload] : [],
  );
  expect(told.length).toBeGreaterThan(1);
  for (const news of told) expect(news.annotation).toMatchObject({ id, clientId });
  server.store.signal.isBroken = () => true;
  server.services.changes.retellWhenBroken();
  expect((await page.next('annotations:sync')).annotations).toMatchObject([{ id, clientId }]);
  const again = await server.hello(page.ready.sessionToken);
  expect(again.ready.annotations).toMatchObject([{ id, clientId }]);
});

test('no tool and no document of the agents shows it', async () => {
  await using server = await startLink();
  const page = await server.hello();
  const sent = note();
  await page.ask('annotation:create', sent);
  const { id, sessionId } = (await page.next('annotation:created')).annotation;
  await using agent = await connect(annotationsToolset, { as: AGENT, services: server.services });
  const shown: unknown[] = [];
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<void> => {
    const answer = await agent.raw.callTool({ name, arguments: args });
    expect(answer.isError ?? false, name).toBe(false);
    shown.push(answer);
  };
  for (const detail of ['lean', 'full']) {
    await call('get_session', { id: sessionId, detail });
    await call('get_pending', { sessionId, detail });
    await call('get_all_pending', { detail });
    await call('watch_annotations', { timeoutMs: 0, detail });
  }
  await call('acknowledge', { id });
  await call('get_mine', { detail: 'full' });
  await call('reply', { id, message: 'On it' });
  await call('propose_diff', { id, diff: DIFF });
  for (const path of ['pending', `sessions/${sessionId}`, id, `${id}/markdown`])
    shown.push(await agent.raw.readResource({ uri: `parley://annotations/${path}` }));
  await call('resolve', { id });
  const text = JSON.stringify(shown);
  expect(text).toContain(id);
  expect(text).not.toContain(sent.clientId);
  expect(text).not.toContain('clientId');
});
