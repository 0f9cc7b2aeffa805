/** The screens of agents in a browser: two agents with real work, and what people see of it, change and answer. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import { scratchFolder } from '../product/parley.ts';
import type { ConsoleBed, Tab } from './console-bed.ts';
import { keepPicture, lookAt, openConsole } from './console-bed.ts';

const LONG_MS = 120_000;
const HOSTILE = '<img src=x onerror="window.hurt=1">';

const GRAPH = {
  nodes: [
    { id: 'start', type: 'start', label: 'A report comes in' },
    {
      id: 'urgent',
      type: 'condition',
      label: 'Is it urgent?',
      config: { path: 'input.urgent', op: 'eq', value: true },
    },
    { id: 'wait', type: 'delay', label: 'Let it rest', config: { seconds: 3 } },
    { id: 'words', type: 'transform', label: 'Write it down', config: { template: 'Note: {{input.text}}' } },
    { id: 'end', type: 'end', label: 'Done', config: { output: '{{nodes.words.text}}' } },
  ],
  edges: [
    { id: '1', sourceNodeId: 'start', targetNodeId: 'urgent' },
    { id: '2', sourceNodeId: 'urgent', targetNodeId: 'words', condition: 'true' },
    { id: '3', sourceNodeId: 'urgent', targetNodeId: 'wait', condition: 'false' },
    { id: '4', sourceNodeId: 'wait', targetNodeId: 'words' },
    { id: '5', sourceNodeId: 'words', targetNodeId: 'end' },
  ],
};

interface Made {
  readonly id: string;
  readonly key: string;
}

describeInBrowser('agents', () => {
  const root = scratchFolder();
  let bed: ConsoleBed;
  let tab: Tab;
  let ada: Made;
  let bea: Made;
  let workflowId: string;

  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  const ask = async (key: string, method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${bed.server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const ownerKey = () => bed.server.key;
  /** A tool, called by the agent itself. */
  const by = ({ key }: Made, tool: string, args: object) =>
    ask(key, 'POST', `/mcp/agent/call-tool/${tool}`, args);

  async function makeProject(root: string): Promise<string> {
    const folder = join(root, 'shop');
    mkdirSync(folder);
    writeFileSync(join(folder, 'README.md'), '# Shop\n');
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], { cwd: folder });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'Begin');
    const owner = ownerKey();
    const { organizations } = await ask(owner, 'POST', '/mcp/self/call-tool/ORGANIZATION_LIST', {});
    const { project } = await ask(owner, 'POST', '/mcp/self/call-tool/PROJECT_CREATE', {
      organizationId: organizations[0].id,
      name: 'Shop',
      slug: 'shop',
    });
    await ask(owner, 'PUT', `/api/projects/${project.id}/code`, { folder });
    return project.id;
  }

  beforeAll(async () => {
    bed = await openConsole(['--project-root', root.path]);
    const owner = ownerKey();
    const project = await makeProject(root.path);
    const agent = async (name: string, about: string) =>
      (await ask(owner, 'POST', '/api/agents', { name, description: about, default_project_id: project }))
        .data;
    ada = await agent('Ada', 'Looks after the shop, tells what is new and mends what is small.');
    bea = await agent('Bea', 'Reads reports and answers questions about them.');
    for (const [key, content] of [
      ['deploy', 'Deployments run on Mondays, after the standup.'],
      ['colours', `The owner likes green. ${HOSTILE}`],
      ['tone', 'Answers are short and in plain words; numbers come with their source.'],
    ])
      await by(ada, 'corvid_save_memory', { key, content });
    await by(ada, 'corvid_manage_schedule', {
      action: 'create',
      name: 'Morning report',
      cron_expression: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
      schedule_actions: [
        { type: 'send_message', to_agent_id: bea.id, message: 'What was reported over night?' },
      ],
    });
    await by(ada, 'corvid_manage_schedule', {
      action: 'create',
      name: 'Mend the build',
      interval_minutes: 360,
      schedule_actions: [{ type: 'work_task', description: 'Look whether the build is green, and mend it.' }],
    });
    const made = await by(ada, 'corvid_manage_workflow', {
      action: 'create',
      name: 'Take in a report',
      ...GRAPH,
    });
    workflowId = made.id;
    await by(ada, 'corvid_manage_workflow', { action: 'activate', workflow_id: workflowId });
    await by(ada, 'corvid_send_message', {
      to_agent: 'Bea',
      message: `Which reports of this week are about the basket? ${HOSTILE}`,
      wait_seconds: 0,
    });
    await by(ada, 'corvid_create_work_task', {
      description: 'Make the button of the basket larger on phones.',
    });
    await by(ada, 'corvid_publish_attestation', {});
    tab = await bed.open();
  }, LONG_MS);

  afterAll(async () => {
    await bed[Symbol.asyncDispose]();
    root[Symbol.dispose]();
  });

  afterEach(() => expect(tab.faults).toEqual([]));

  const button = (name: string | RegExp) => tab.page.getByRole('button', { name });
  const shows = (text: string | RegExp) => tab.page.getByText(text).first().waitFor();
  const inDialog = () => tab.page.getByRole('dialog');
  const goTo = (agent: Made, part: string) => tab.go(`/agents/${agent.id}/${part}`);

  test('the list says who acted last, and the tools of one say what decides about them', async () => {
    await tab.go('/agents');
    const row = tab.page.locator(`[data-key="${ada.id}"]`);
    expect(await row.textContent()).toMatch(/Ada.*idle.*(just now|ago)/);
    expect(await tab.page.locator(`[data-key="${bea.id}"]`).textContent()).toContain('never');
    await row.click();
    await shows('The default set has it.');
    await shows('The agent has the default set, which leaves it out, and the agent has no bundles.');
    await tab.page.getByRole('switch', { name: 'Nobody watches' }).click();
    await shows('It is blocked while nobody watches, whatever lists say.');
    await button('Give a bundle').click();
    await tab.page.getByRole('menuitem', { name: /Researcher/ }).click();
    await button('Take back Researcher').waitFor();
    expect((await ask(ownerKey(), 'GET', `/api/agents/${ada.id}/skills`)).data).toMatchObject([
      { bundle_id: 'preset-researcher' },
    ]);
  });

  test('a schedule is told in words with its next five runs, runs at once, and another is made', async () => {
    await goTo(ada, 'schedules');
    await shows('At 09:00, Monday through Friday');
    await shows('Next 5 runs (Europe/Berlin)');
    await expect.poll(() => tab.page.locator('.agents-next').first().locator('li').count()).toBe(5);
    await button('Run now').first().click();
    await button('1 run').click();
    await shows('completed');
    await button('New schedule').click();
    await inDialog().getByLabel('Name').fill('Weekly attestation');
    await tab.page.getByLabel('Cron').fill('30 6 * * 1');
    await shows('At 06:30, only on Monday');
    await tab.page.getByLabel('Time zone').fill('Europe/Paris');
    await tab.page.getByLabel('What it does').click();
    await tab.page.getByRole('option', { name: 'Attest its reputation' }).click();
    await keepPicture(tab.page, 'agent-schedule-dialog');
    await button('Save').click();
    await shows('Weekly attestation');
    const { data } = await ask(ownerKey(), 'GET', `/api/agents/${ada.id}/schedules`);
    expect(data[2]).toMatchObject({
      timing: { kind: 'cron', cron: '30 6 * * 1', timezone: 'Europe/Paris' },
      actions: [{ type: 'reputation_attestation' }],
    });
  });

  test('what a schedule wants to do is approved', async () => {
    await goTo(ada, 'schedules');
    await button('Run now').nth(1).click();
    await shows('It waits for an approval.');
    await tab.go('/agents?tab=approvals');
    await button('Approve').click();
    await shows('“Mend the build” is approved.');
    await shows('Nothing waits for you');
    expect((await ask(ownerKey(), 'GET', '/api/executions')).data[0]).toMatchObject({ approvals: 1 });
  });

  test('a message is answered in the name of the agent, and both sides see it', async () => {
    await goTo(bea, 'messages');
    await button('Reply as Bea').last().click();
    await tab.page.getByLabel('What Bea says').fill('Three, and two of them are about phones.');
    await button('Send the reply').click();
    await shows('Three, and two of them are about phones.');
    await goTo(ada, 'messages');
    await shows('Three, and two of them are about phones.');
    expect(await tab.page.locator('.agents-thread').first().textContent()).toContain('replied');
  });

  test('a run of a workflow is started and followed in its graph, step by step', async () => {
    await goTo(ada, 'workflows');
    await button('Run').click();
    await inDialog().getByRole('textbox').click();
    await tab.page.keyboard.press('Control+A');
    await tab.page.keyboard.insertText('{"urgent": false, "text": "The basket is empty"}');
    await inDialog().getByRole('button', { name: 'Run' }).click();
    await tab.page.locator('.graph-live', { hasText: 'Let it rest' }).waitFor();
    await tab.page.locator('.graph-node', { hasText: 'end: completed' }).waitFor();
    await shows('Note: The basket is empty');
    const runs = await ask(ownerKey(), 'GET', `/api/agents/${ada.id}/workflows/${workflowId}/runs`);
    expect(runs.data).toMatchObject([{ status: 'completed' }]);
  });

  test('a memory is edited, the chain verified, a memory forgotten; its text is never markup', async () => {
    await goTo(ada, 'memory');
    await button('Edit deploy').click();
    await tab.page.getByLabel('Text').fill('Deployments run on Tuesdays.');
    await button('Save').click();
    await shows('Deployments run on Tuesdays.');
    await button('Forget tone').click();
    await inDialog().getByRole('button', { name: 'Forget' }).click();
    await tab.page.getByText('tone', { exact: true }).waitFor({ state: 'detached' });
    await button('Verify the chain').click();
    await shows(/The chain holds: \d+ entries/);
    expect((await by(ada, 'corvid_recall_memory', { key: 'deploy' })).memories).toMatchObject([
      { content: 'Deployments run on Tuesdays.', signature: 'valid' },
    ]);
    await shows(HOSTILE);
    expect(await tab.page.evaluate(() => 'hurt' in window)).toBe(false);
  });

  test('work is seen with its branch and cancelled', async () => {
    await goTo(ada, 'work');
    await shows('Make the button of the basket larger on phones.');
    await tab.page
      .locator('.agents-list li', { hasText: 'basket' })
      .getByRole('button', { name: 'Cancel' })
      .click();
    await button('Cancel the work').click();
    await shows('cancelled');
    const { tasks } = (await ask(ownerKey(), 'GET', `/api/agents/${ada.id}/work`)).data;
    expect(tasks.at(-1)).toMatchObject({
      status: 'cancelled',
      branch: expect.stringContaining('agent/ada/'),
    });
  });

  test('credits are given, and a rating counts', async () => {
    await goTo(ada, 'credits');
    await button('Give credits').click();
    await tab.page.getByRole('spinbutton').fill('250');
    await button('Give').last().click();
    await shows('+250');
    await goTo(ada, 'reputation');
    await button('4 of 5').click();
    await shows('1 person rated it');
    await shows(/The chain holds/);
    expect((await ask(ownerKey(), 'GET', `/api/agents/${ada.id}/reputation`)).data).toMatchObject({
      reviews: 1,
      own_rating: 4,
    });
  });

  test('a question of an agent is answered where Home leads to', async () => {
    const asked = by(ada, 'corvid_ask_owner', { question: 'Which colour?', options: ['red', 'green'] });
    await tab.go('/');
    await tab.page.getByRole('link', { name: /Questions of agents/ }).click();
    await button('green').waitFor();
    await keepPicture(tab.page, 'agents-question');
    await button('green').click();
    expect(await asked).toMatchObject({ answered: true, answer: 'green' });
    await shows('answered');
  });

  test('a bundle is made and given back', async () => {
    await tab.go('/agents?tab=bundles');
    await button('New bundle').click();
    await inDialog().getByLabel('Name').fill('Scouts');
    await tab.page.getByRole('checkbox', { name: /corvid_web_search/ }).click();
    await keepPicture(tab.page, 'agents-bundle-dialog');
    await button('Save').click();
    const line = tab.page.locator('.agents-list li', { hasText: 'Scouts' });
    await line.waitFor();
    await line.getByRole('button', { name: 'Delete' }).click();
    await inDialog().getByRole('button', { name: 'Delete' }).click();
    await line.waitFor({ state: 'detached' });
    const { data } = await ask(ownerKey(), 'GET', '/api/skill-bundles');
    expect(data.some(({ name }: { name: string }) => name === 'Scouts')).toBe(false);
  });

  test('all of it looks right in both themes and sizes', { timeout: LONG_MS }, async () => {
    const parts = [
      'tools',
      'schedules',
      'workflows',
      'work',
      'messages',
      'memory',
      'credits',
      'reputation',
      'about',
    ];
    const ofAda = parts.map((part) => [`agent-${part}`, `/agents/${ada.id}/${part}`]);
    const places = ['questions', 'approvals', 'bundles'].map((id) => [`agents-${id}`, `/agents?tab=${id}`]);
    const wrong = await lookAt(bed, Object.fromEntries([['agents', '/agents'], ...ofAda, ...places]));
    expect(wrong).toEqual([]);
  });
});
