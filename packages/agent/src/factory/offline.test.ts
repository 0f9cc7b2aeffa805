/** With nothing configured and no network every tool works, or says what is missing. */
import { createEgress } from '@parley/kit/egress';
import { afterAll, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { projectBed } from '../../test/project-bed.ts';
import { clientOf } from '../../test/session-client.ts';
import { validInputs } from '../../test/valid-inputs.ts';
import { AGENT_TOOLS } from '../tools/sets.ts';
import { closeAgentStore } from './on-store.ts';
import { createCorvidMcpServer } from './server.ts';

/** Those that cannot do anything in a bare folder, each with what its answer names. */
const MISSING: Readonly<Record<string, string>> = {
  corvid_extend_timeout: 'timer',
  corvid_discover_agent: '',
  corvid_invoke_remote_agent: '',
  corvid_web_search: 'PARLEY_SEARCH_API_KEY',
  corvid_deep_research: 'PARLEY_SEARCH_API_KEY',
  ...Object.fromEntries(
    AGENT_TOOLS.filter(({ name }) => name.startsWith('corvid_github_')).map(({ name }) => [
      name,
      'PARLEY_GITHUB_TOKEN',
    ]),
  ),
};

const projects = projectBed();
afterAll(() => projects.remove());

type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>;

onBothBeds(
  'check 56: without network and settings',
  (bed) => {
    afterAll(() => closeAgentStore(bed().store));

    /** An agent with all tools, another one to speak of, and inputs that speak of it. */
    async function situation() {
      const { acme, agent, services } = bed();
      const { caller: owner } = acme.owner;
      const project = projects.project(acme.id);
      const folder = projects.folder(project, { 'main.ts': 'export function main() {}' });
      await services.projects.setCode(owner, project, { folder });
      const tools = AGENT_TOOLS.map(({ name }) => name);
      const { id, caller } = await agent(owner, { tools, defaultProjectId: project });
      const { id: other } = await agent(owner);
      const account = (await services.agents.get(acme.id, other))?.account_id ?? '';
      // Whoever asks the owner waits for the answer.
      const { corvid_ask_owner: _asked, ...inputs } = validInputs({ other, account, project });
      expect(Object.keys(inputs)).toHaveLength(36);
      return { id, caller, inputs };
    }

    /** What each tool answers; each in less than a second. */
    async function answersOf(call: Call, inputs: object): Promise<Record<string, unknown>> {
      const answers: Record<string, unknown> = {};
      for (const [name, args] of Object.entries(inputs)) {
        // The first call of a kind may have to load code on a machine that is busy with other tests.
        for (let tries = 0, took = Infinity; took >= 1000; tries += 1) {
          expect(tries, name).toBeLessThan(3);
          const began = performance.now();
          answers[name] = await call(name, args);
          took = performance.now() - began;
        }
      }
      return answers;
    }

    const codesOf = (answers: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        Object.entries(answers).flatMap(([name, answer]) => {
          const { isError, _meta } = answer as { isError?: boolean; _meta?: Record<string, unknown> };
          return isError ? [[name, _meta?.['dev.parley/code']]] : [];
        }),
      );

    test('the tools of a server answer', async () => {
      const { caller, inputs } = await situation();
      await using client = await bed().client(caller);
      const call: Call = (name, args) => client.raw.callTool({ name, arguments: args });
      const answers = await answersOf(call, inputs);
      expect(codesOf(answers)).toEqual(UNAVAILABLE);
      for (const [name, missing] of Object.entries(MISSING))
        expect(JSON.stringify(answers[name]), name).toContain(missing);
    });

    test('the tools of a session answer', async () => {
      const { id, inputs } = await situation();
      const { store, services, host } = bed();
      const given = { workTaskService: services.work, astParserService: services.code };
      const context = { agentId: id, store, ...given, projectDirectory: host.projects };
      await using client = await clientOf(createCorvidMcpServer(context));
      const answers = await answersOf(client.call, inputs);
      expect(codesOf(answers)).toEqual(UNAVAILABLE);
      for (const [name, missing] of Object.entries(MISSING))
        expect(JSON.stringify(answers[name]), name).toContain(missing);
    });
  },
  () => ({
    parts: {
      ...projects.parts,
      egress: createEgress({
        resolve: async () => {
          throw new Error('There is no network.');
        },
      }),
    },
  }),
);

const UNAVAILABLE = Object.fromEntries(Object.keys(MISSING).map((name) => [name, 'unavailable']));
