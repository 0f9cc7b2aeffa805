/** Presence: a call of any tool for agents says that its agent is there, and one for administrators does not. */
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { DIFF, openDesk, ORGANIZATION } from '../../test/notes.ts';
import { annotationsToolset } from '../toolset.ts';

const ID = 'ann_none';

/** What each tool is called with; that it answers "not found" changes nothing about who called. */
const CALLS: Readonly<Record<string, object>> = {
  list_sessions: {},
  get_session: { id: 'ses_none' },
  get_pending: { sessionId: 'ses_none' },
  get_all_pending: {},
  get_mine: {},
  acknowledge: { id: ID },
  resolve: { id: ID },
  dismiss: { id: ID, reason: 'No' },
  reply: { id: ID, message: 'Hello' },
  watch_annotations: { timeoutMs: 0 },
  propose_diff: { id: ID, diff: DIFF },
  watch_diff_response: { id: ID, timeoutMs: 0 },
};

const forAgents = annotationsToolset.tools.filter(({ privileged }) => privileged !== 'by-name');
const forAdministrators = annotationsToolset.tools.filter(({ privileged }) => privileged === 'by-name');

async function presentAfter(name: string, args: object) {
  await using store = await scratchStore();
  const desk = await openDesk(store);
  const grants = { annotations: ['*', ...annotationsToolset.tools.map((tool) => tool.name)] };
  await using client = await connect(annotationsToolset, { services: desk.services, as: { grants } });
  await client.raw.callTool({ name, arguments: { ...args } });
  await desk.services.presence.close();
  return (await desk.services.presence.of(ORGANIZATION, 'ses_none')).agents.map((agent) => agent.name);
}

test('the table has every tool for agents', () => {
  expect(Object.keys(CALLS).toSorted()).toEqual(forAgents.map(({ name }) => name));
});

test.each(forAgents.map(({ name }) => name))('%s: its agent is there', async (name) => {
  expect(await presentAfter(name, CALLS[name] ?? {})).toEqual(['Test']);
});

test.each(forAdministrators.map(({ name }) => name))('%s: nobody is there', async (name) => {
  expect(await presentAfter(name, { id: 'ptk_none', origins: [] })).toEqual([]);
});
