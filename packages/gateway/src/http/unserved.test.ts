/** Messages that are no calls of tools while the database is away, past the look-up of the key. */
import { scriptedSource } from '@parley/kit/testing';
import { StoreUnavailableError } from '@parley/store';
import { modern, sendModern } from '@parley/test-support/wire';
import { expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../test/session.ts';
import { startGateway } from '../../test/start-gateway.ts';

const AWAY = expect.stringContaining('The database cannot be reached.');

async function openGateway() {
  const source = scriptedSource('connections');
  const state: { fault: Error | undefined } = { fault: undefined };
  const settled = () => (state.fault === undefined ? undefined : Promise.reject(state.fault));
  const gateway = await startGateway({ sources: [{ ...source, settled }] });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const to = { port: gateway.port, key: gateway.ownerKey };
  return { to, state, session: await openSession(to) };
}

test('are answered with 503, when to come again and a sentence, and as ever once it is back', async () => {
  const { to, state, session } = await openGateway();
  state.fault = new StoreUnavailableError('lost');
  for (const method of ['prompts/list', 'tools/list', 'resources/list']) {
    const { status, headers, json } = await sendModern(to, modern(method));
    expect([method, status, headers['retry-after'], json.error]).toMatchObject([
      method,
      503,
      '5',
      { code: -32000, message: AWAY },
    ]);
  }
  const { json } = await session.request('tools/list');
  expect(json.error).toMatchObject({ code: -32000, message: AWAY, data: { code: 'unavailable' } });
  state.fault = undefined;
  for (const method of ['prompts/list', 'tools/list'])
    expect((await sendModern(to, modern(method))).status).toBe(200);
  expect((await session.request('tools/list')).json.result.tools).not.toEqual([]);
});

test('another fault is still ours, and says nothing about itself', async () => {
  const { to, state, session } = await openGateway();
  state.fault = new Error('the path is /srv/secret');
  const { json, text, headers } = await sendModern(to, modern('prompts/list'));
  expect([json.error, headers['retry-after']]).toEqual([
    { code: -32603, message: 'Internal error' },
    undefined,
  ]);
  expect(text).not.toContain('/srv');
  expect((await session.request('tools/list')).json.error).toMatchObject({ code: -32603 });
});
