/** What each type of action does, and that nobody gets by a schedule what the agent's tools would not give. */
import { testCaller } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import { scriptedActions } from '../../../test/scripted-actions.ts';
import { AGENT } from '../../name.ts';
import { actingOf } from '../../session.ts';
import type { ActionServices } from './actions.ts';
import { createForesee, createPerform } from './actions.ts';
import type { ScheduleAction } from './schema.ts';
import { ACTION_TYPES } from './schema.ts';

const agentWith = (tools: readonly string[]) =>
  actingOf({
    ...testCaller({ grants: { [AGENT]: ['*'] } }),
    source: 'schedule',
    unattended: true,
    agent: { id: 'agt_1', name: 'Ada', depth: 1, source: 'schedule' },
    held: { [AGENT]: tools },
  });

const TOOLS = [
  'corvid_github_star_repo',
  'corvid_github_fork_repo',
  'corvid_github_review_pr',
  'corvid_create_work_task',
  'corvid_send_message',
  'corvid_save_memory',
  'corvid_publish_attestation',
];

const isRegistered = (name: string) => TOOLS.includes(name);

interface Given {
  readonly services?: ActionServices;
  readonly tools?: readonly string[];
  readonly others?: readonly string[];
}

const perform = (
  action: ScheduleAction,
  { services = {}, tools = TOOLS, others = ['agt_2', 'agt_3'] }: Given,
) =>
  createPerform({ services, others: async () => [...others], isRegistered })({
    acting: agentWith(tools),
    action,
    snapshot: { name: 'Often', actions: [action], depth: 1 },
    key: 'exec_1:0',
    signal: new AbortController().signal,
  });

const REPOS = ['a/b', 'c/d'];
const ROWS: [ScheduleAction, done: string[], text: string, tool: string | undefined][] = [
  [
    { type: 'star_repo', repos: REPOS },
    ['star a/b', 'star c/d'],
    'starred a/b, c/d',
    'corvid_github_star_repo',
  ],
  [
    { type: 'fork_repo', repos: REPOS },
    ['fork a/b', 'fork c/d'],
    'forked to me/b, me/d',
    'corvid_github_fork_repo',
  ],
  [
    { type: 'review_prs', repos: REPOS },
    ['run Review the open pull requests of a/b, c/d.'],
    'did Review the open pull requests of a/b, c/d.',
    'corvid_github_review_pr',
  ],
  [
    { type: 'work_task', description: 'Mend it' },
    ['work Mend it'],
    'created work_1',
    'corvid_create_work_task',
  ],
  [
    { type: 'council_launch', message: 'Shall we?' },
    ['tell thread_1 agt_2 Shall we?', 'tell thread_1 agt_3 Shall we?'],
    'agt_2: yes from agt_2\nagt_3: yes from agt_3',
    'corvid_send_message',
  ],
  [
    { type: 'send_message', to_agent_id: 'agt_9', message: 'Hi' },
    ['tell thread_1 agt_9 Hi'],
    'yes from agt_9',
    'corvid_send_message',
  ],
  [
    { type: 'github_suggest', repos: REPOS },
    ['run Suggest improvements for a/b, c/d.'],
    'did Suggest',
    undefined,
  ],
  [{ type: 'codebase_review', prompt: 'Only src.' }, ['run Review the code'], 'did Review', undefined],
  [{ type: 'dependency_audit' }, ['run Look through the dependencies'], 'did Look', undefined],
  [{ type: 'improvement_loop' }, ['run Find the improvement'], 'did Find', undefined],
  [{ type: 'memory_maintenance' }, ['memory'], 'tidy', 'corvid_save_memory'],
  [{ type: 'reputation_attestation' }, ['attest'], 'attested', 'corvid_publish_attestation'],
  [
    { type: 'custom', prompt: 'Water the plants.' },
    ['run Water the plants.'],
    'did Water the plants.',
    undefined,
  ],
];

test('there is a row for every type', () => {
  expect(ROWS.map(([{ type }]) => type)).toEqual([...ACTION_TYPES]);
});

test.each(ROWS)('%o', async (action, done, text, tool) => {
  const actions = scriptedActions();
  expect(await perform(action, { services: actions.services })).toContain(text);
  expect(actions.said()).toEqual(done.map((what) => expect.stringContaining(what)));
  // Without its part it says which setting is missing.
  await expect(perform(action, {})).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/PARLEY_|switched off/),
  });
  // Without its tool nothing is done.
  const refused = perform(action, { services: actions.services, tools: [] });
  if (tool === undefined) await expect(refused).resolves.toContain(text);
  else
    await expect(refused).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(tool),
    });
  expect(actions.deeds).toHaveLength(done.length * (tool === undefined ? 2 : 1));
});

test.each(ROWS)('what %o would fail with is known before', async (action, _done, _text, tool) => {
  const others = async () => ['agt_2', 'agt_3'];
  const { services } = scriptedActions();
  const failure = async (given: Given) =>
    perform(action, given).then(
      () => [],
      (error: Error) => [`schedule_actions.0: ${error.message}`],
    );
  const foresee = (given: ActionServices, tools: readonly string[], hasOwnParts = true) =>
    createForesee({ services: given, others, isRegistered }, hasOwnParts)(agentWith(tools).caller, [action]);
  expect(foresee(services, TOOLS)).toEqual([]);
  expect(foresee({}, TOOLS)).toEqual(await failure({}));
  expect(foresee(services, [])).toEqual(await failure({ services, tools: [] }));
  // What another process has is not known here; what the agent has is.
  expect(foresee({}, TOOLS, false)).toEqual([]);
  expect(foresee({}, [], false)).toHaveLength(tool === undefined ? 0 : 1);
});

const WITH_REPOS = ROWS.map(([action]) => action).filter(({ repos }) => repos !== undefined);

test.each(WITH_REPOS)(
  '$type: a name that was stored before it was refused is refused when it runs',
  async (action) => {
    const actions = scriptedActions();
    for (const odd of ['c/d.git', 'c/d.GIT', 'c/..', 'c/d/e', 'd'])
      await expect(
        perform({ ...action, repos: ['a/b', odd] }, { services: actions.services }),
        odd,
      ).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(odd) });
    // Not even the first one.
    expect(actions.deeds).toEqual([]);
  },
);

test('a council needs two others, and asks ten at most', async () => {
  const actions = scriptedActions();
  const action: ScheduleAction = { type: 'council_launch', message: 'Shall we?' };
  const { services } = actions;
  await expect(perform(action, { services, others: ['agt_2'] })).rejects.toMatchObject({
    code: 'unavailable',
  });
  await perform(action, { services, others: Array.from({ length: 12 }, (_, index) => `agt_${index}`) });
  expect(actions.deeds).toHaveLength(10);
});
