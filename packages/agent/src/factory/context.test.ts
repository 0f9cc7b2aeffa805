/** What a context object brings to a session: each field does what it says, and what is absent is as it says too. */
import { ToolError } from '@parley/kit';
import { afterAll, expect, test } from 'vitest';
import { onOneBed } from '../../test/agent-bed.ts';
import { clientOf } from '../../test/session-client.ts';
import type { McpToolContext, OwnerMessage } from './context.ts';
import { closeAgentStore } from './on-store.ts';
import { createCorvidMcpServer } from './server.ts';

interface Answer {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

const codeOf = ({ isError, _meta }: Answer) => (isError === true ? _meta?.['dev.parley/code'] : undefined);

/** A service whose every method answers alike. */
const always = (answer: unknown) => new Proxy({}, { get: () => async () => answer, has: () => true });

const AGENT = { id: 'given', name: 'G', description: '', account_id: 'acc', runner: null };
const COMPONENTS = { task: 1, peer: 1, credit: 1, security: 1, activity: 1 };
const SIGNED = { hash: 'h', prev_hash: 'p', seq: 1, signature: 's', key_id: 'k', counted: true };

/** A tool of each service, and what a given service answers: `given` stands in the answer of the tool then. */
const SERVICES: readonly (readonly [
  field: string,
  tool: string,
  args: Record<string, unknown>,
  answer: unknown,
])[] = [
  [
    'agentMessenger',
    'send_message',
    { to_agent: 'given', message: 'm' },
    { message_id: 'given', thread: 't', status: 'queued', depth: 1 },
  ],
  ['agentDirectory', 'list_agents', {}, [AGENT]],
  ['accountService', 'check_credits', {}, { account_id: 'given', ...balance(), config: config() }],
  [
    'schedulerService',
    'manage_schedule',
    { action: 'list' },
    [{ id: 'given', name: 'S', status: 'active', runs: 0, failures: 0, next_run_at: null }],
  ],
  ['workflowService', 'manage_workflow', { action: 'list' }, [{ id: 'given', name: 'W', status: 'draft' }]],
  ['projectDirectory', 'list_projects', {}, [{ id: 'given', name: 'P', description: null }]],
  ['notificationService', 'notify_owner', { message: 'm' }, { id: 'given', channels: [] }],
  [
    'questionDispatcher',
    'configure_notifications',
    { action: 'list' },
    [{ type: 'webhook', id: 'given', enabled: true, config_keys: [] }],
  ],
  [
    'reputationScorer',
    'check_reputation',
    {},
    { overall: 1, trustLevel: 'low', components: COMPONENTS, hash: 'given', computedAt: 0, events: [] },
  ],
  ['reputationAttestation', 'publish_attestation', {}, { attestation_id: 'given', ...SIGNED }],
  [
    'reputationVerifier',
    'verify_agent_reputation',
    {},
    {
      level: 'low',
      count: 1,
      attestations: [{ hash: 'given', computed_at: '', overall: 1, valid: true }],
      check: { isWhole: true },
    },
  ],
];

function balance() {
  return { available: 1, reserved: 0, total: 1, lifetime_bought: 0, lifetime_used: 0 };
}

function config() {
  return { credits_per_unit: 1, credits_per_turn: 1, low_credit_threshold: 1 };
}

onOneBed(
  'the context of a session',
  (bed) => {
    afterAll(() => closeAgentStore(bed().store));

    const newContext = async (more: object = {}): Promise<McpToolContext> => {
      const { acme, agent, store } = bed();
      const { id } = await agent(acme.owner.caller, { defaultProjectId: 'given' });
      return { agentId: id, store, sessionSource: 'web', ...more };
    };
    async function call(
      ctx: McpToolContext,
      tool: string,
      args: Record<string, unknown> = {},
    ): Promise<Answer> {
      await using client = await clientOf(createCorvidMcpServer(ctx));
      // Awaited here: the client is closed with the block.
      const answer = await client.call(`corvid_${tool}`, args);
      return answer;
    }

    test.each(SERVICES)('%s is what %s uses, and null switches it off', async (field, tool, args, answer) => {
      const ctx = await newContext();
      const own = await call(ctx, tool, args);
      expect(codeOf(own)).toBe(field === 'agentMessenger' ? 'not_found' : undefined);
      expect(JSON.stringify(own.structuredContent ?? {})).not.toContain('given');
      const instead = await call({ ...ctx, [field]: always(answer) }, tool, args);
      expect(JSON.stringify(instead.structuredContent)).toContain('given');
      expect(codeOf(await call({ ...ctx, [field]: null }, tool, args))).toBe('unavailable');
    });

    test('a question goes to the manager that is given, and to whoever hears the broadcast', async () => {
      const heard: OwnerMessage[] = [];
      const open = { id: 'given', askedAt: 0, deadlineAt: 60_000 };
      const answered = { id: 'given', status: 'answered', answer: 'blue', option_index: 2, answered_by: 'o' };
      const ctx = await newContext({
        broadcastOwnerMessage: (message: OwnerMessage) => heard.push(message),
        ownerQuestionManager: { ask: async () => open, ended: async () => answered, now: () => 0 },
      });
      const { structuredContent } = await call(ctx, 'ask_owner', {
        question: 'Which?',
        options: ['red', 'blue'],
      });
      expect(structuredContent).toMatchObject({ question_id: 'given', answer: 'blue', option_index: 2 });
      await call(ctx, 'notify_owner', { message: 'Painted', title: 'Wall', level: 'success' });
      const { agentId } = ctx;
      expect(heard).toEqual([
        {
          type: 'question',
          id: 'given',
          agentId,
          question: 'Which?',
          options: ['red', 'blue'],
          context: undefined,
          deadline: '1970-01-01T00:01:00.000Z',
        },
        {
          type: 'notification',
          id: expect.any(String),
          agentId,
          level: 'success',
          title: 'Wall',
          message: 'Painted',
        },
      ]);
      expect(codeOf(await call({ ...ctx, ownerQuestionManager: null }, 'ask_owner', { question: 'Q' }))).toBe(
        'unavailable',
      );
    });

    test('the adapters that are given are used with the signal of the session; without them tools are unavailable', async () => {
      const ended = new AbortController();
      const signals: AbortSignal[] = [];
      const searchProvider = {
        async search(query: string, { signal }: { signal: AbortSignal }) {
          signals.push(signal);
          return [{ title: query, url: 'https://example.com', description: '' }];
        },
      };
      const github = {
        async star(_repo: unknown, signal: AbortSignal) {
          signals.push(signal);
        },
      };
      const remoteAgents = {
        async card(_url: string, signal: AbortSignal) {
          signals.push(signal);
          return undefined;
        },
      };
      const bare = await newContext();
      const ctx = { ...bare, searchProvider, github, remoteAgents, signal: ended.signal } as McpToolContext;
      const calls = [
        ['web_search', { query: 'mcp' }, { results: [{ title: 'mcp' }] }],
        ['github_star_repo', { repo: 'a/b' }, { starred: true }],
        ['discover_agent', { url: 'https://agent.example' }, { found: false }],
      ] as const;
      for (const [tool, args, says] of calls) {
        expect((await call(ctx, tool, args)).structuredContent).toMatchObject(says);
        expect(codeOf(await call(bare, tool, args))).toBe('unavailable');
      }
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
      ended.abort();
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    });

    test('a session that is over answers no call', async () => {
      const ended = new AbortController();
      const searchProvider = {
        search: (_query: string, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('aborted')));
            ended.abort();
          }),
      };
      const ctx = await newContext({ searchProvider, signal: ended.signal });
      await expect(call(ctx, 'web_search', { query: 'mcp' })).rejects.toThrow('The call was cancelled');
    });

    test('a runner answers messages; without one they wait in the inbox', async () => {
      const { acme, agent } = bed();
      const { id: other } = await agent(acme.owner.caller);
      const runner = {
        run: async ({ prompt }: { prompt: string }) => ({ status: 'completed', text: `re: ${prompt}` }),
      };
      const args = { to_agent: other, message: 'Hello' };
      const clock = () => bed().clock.nowMs;
      const answered = await call(await newContext({ runner, clock }), 'send_message', args);
      expect(answered.structuredContent).toMatchObject({ status: 'replied', reply: 're: Hello' });
      const queued = await call(await newContext({ clock }), 'send_message', args);
      expect(queued.structuredContent).toMatchObject({ status: 'queued', depth: 1 });
      const deep = await call(await newContext({ depth: 4 }), 'send_message', args);
      expect(codeOf(deep)).toBe('depth_exceeded');
    });

    test('a text that asks for work makes a task only where the session has work tasks', async () => {
      const { acme, agent } = bed();
      const { id: other } = await agent(acme.owner.caller);
      const args = { to_agent: other, message: '[WORK] Mend it' };
      const made: unknown[] = [];
      const workTaskService = {
        async create({ agentId }: { agentId: string }, { description }: { description: string }) {
          made.push([agentId, description]);
          return { id: 'task_given', status: 'pending', branch: null, position: 0 };
        },
      };
      const plain = await call(await newContext(), 'send_message', args);
      expect(plain.structuredContent).toMatchObject({ status: 'queued' });
      const work = await call(await newContext({ workTaskService }), 'send_message', args);
      expect(work.structuredContent).toMatchObject({ status: 'work_task', task_id: 'task_given' });
      expect(made).toEqual([[other, 'Mend it']]);
    });

    test('more time is asked of the program, which may refuse; without a timer there is none', async () => {
      const asked: number[] = [];
      const clock = () => Date.UTC(2031, 0, 1);
      const extendTimeout = (ms: number) => asked.push(ms) < 3;
      const ctx = await newContext({ extendTimeout, clock });
      expect((await call(ctx, 'extend_timeout', { minutes: 500 })).structuredContent).toEqual({
        granted_minutes: 120,
        ends_at: '2031-01-01T02:00:00.000Z',
      });
      await call(ctx, 'extend_timeout', { minutes: -1 });
      expect(codeOf(await call(ctx, 'extend_timeout', { minutes: 5 }))).toBe('not_found');
      expect(asked).toEqual([7_200_000, 60_000, 300_000]);
      expect(codeOf(await call(await newContext(), 'extend_timeout', { minutes: 5 }))).toBe('unavailable');
    });

    test('the clock is that of the session, and the program hears of status and faults', async () => {
      const statuses: string[] = [];
      const faults: [string, string][] = [];
      const ctx = await newContext({
        clock: () => Date.UTC(2031, 5, 1),
        emitStatus: (text: string) => statuses.push(text),
        log: (where: string, error: unknown) => faults.push([where, String(error)]),
        agentDirectory: {
          list: async () => {
            throw new Error('Secret detail');
          },
        },
      });
      const saved = await call(ctx, 'save_memory', { key: 'a', content: 'b' });
      expect(saved.structuredContent).toMatchObject({ updated_at: '2031-06-01T00:00:00.000Z' });
      const failed = await call(ctx, 'list_agents');
      expect(codeOf(failed)).toBe('internal');
      expect(JSON.stringify(failed)).not.toContain('Secret');
      expect(statuses).toEqual(['Save a memory', 'List agents']);
      expect(faults).toEqual([
        [expect.stringMatching(/^corvid_list_agents [0-9a-f-]{36}$/), 'Error: Secret detail'],
      ]);
    });

    test('an agent that is gone, or of another organization than the caller, has no tools, and the list says so', async () => {
      const { rival } = bed();
      const ctx = await newContext();
      const strange = [
        { ...ctx, agentId: 'agt_none' },
        { ...ctx, organizationId: rival.id },
        { ...ctx, caller: rival.owner.caller },
        { ...ctx, sessionSource: undefined, agentId: 'agt_none' },
      ];
      for (const each of strange) {
        await using client = await clientOf(createCorvidMcpServer(each));
        const words = `There is no agent ${each.agentId} here, so it has no tools.`;
        await expect(client.names()).rejects.toThrow(words);
        await expect(client.call('corvid_list_agents', {})).rejects.toThrow('corvid_list_agents');
      }
      await using given = await clientOf(
        createCorvidMcpServer({ ...ctx, agentId: 'agt_none', resolvedToolPermissions: null }),
      );
      await expect(given.call('corvid_list_agents', {})).rejects.toThrow('corvid_list_agents');
    });

    test('a list that is given acts as the agent, in its organization', async () => {
      const { acme, agent, store, services } = bed();
      const { id } = await agent(acme.owner.caller, { tools: [] });
      const ctx = { agentId: id, store, resolvedToolPermissions: ['corvid_save_memory'] };
      await using client = await clientOf(createCorvidMcpServer(ctx));
      expect(await client.names()).toEqual(['corvid_save_memory']);
      await client.call('corvid_save_memory', { key: 'a', content: 'mine' });
      const of = { organizationId: acme.id, agentId: id };
      const { memories } = await services.memories.recall(of, { key: 'a', limit: 1 });
      expect(memories).toMatchObject([{ content: 'mine' }]);
    });

    test('a change of the agent holds at the next list and call of an open session, and is told', async () => {
      const { acme, agent, services, store } = bed();
      const { id } = await agent(acme.owner.caller, { tools: ['corvid_list_agents'] });
      const server = createCorvidMcpServer({ agentId: id, store });
      await using client = await clientOf(server, 'legacy');
      let told = 0;
      client.raw.setNotificationHandler('notifications/tools/list_changed', () => {
        told += 1;
      });
      expect(await client.names()).toEqual(['corvid_list_agents']);
      await services.agents.update(acme.owner.caller, id, { tools: ['corvid_list_projects'] });
      expect(await client.names()).toEqual(['corvid_list_projects']);
      await expect(client.call('corvid_list_agents', {})).rejects.toThrow('corvid_list_agents');
      await expect.poll(() => told).toBeGreaterThan(0);
    });

    test('sessions on one store share what is made for it, end one by one, and begin anew after it was closed', async () => {
      const { store } = bed();
      const ctx = await newContext();
      const [one, two] = [createCorvidMcpServer(ctx), createCorvidMcpServer({ ...ctx })];
      const first = await clientOf(one);
      await using second = await clientOf(two);
      await first[Symbol.asyncDispose]();
      expect((await second.names()).length).toBeGreaterThan(0);
      await closeAgentStore(store);
      await using third = await clientOf(createCorvidMcpServer(ctx));
      expect(codeOf(await third.call('corvid_list_agents', {}))).toBeUndefined();
    });

    test('a session that watches its inbox is told of a message', async () => {
      const { acme, agent, store } = bed();
      const [to, from] = [await agent(acme.owner.caller), await agent(acme.owner.caller)];
      await using client = await clientOf(createCorvidMcpServer({ agentId: to.id, store }), 'legacy');
      const updated: string[] = [];
      client.raw.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(params.uri);
      });
      await client.raw.subscribeResource({ uri: 'agent://inbox' });
      const send = { to_agent: to.id, message: 'Hello', wait_seconds: 0 };
      await call({ agentId: from.id, store }, 'send_message', send);
      await expect.poll(() => updated).toContain('agent://inbox');
      const read = await client.raw.readResource({ uri: 'agent://inbox' });
      expect(JSON.stringify(read.contents)).toContain('Hello');
    });

    test('a client that speaks before the server is connected is heard', async () => {
      const { agentId, store } = await newContext();
      const { instance } = createCorvidMcpServer({ agentId, store });
      const said = Promise.withResolvers<unknown>();
      // As the transport of the Claude Agent SDK, it keeps nothing that nobody listens to.
      const transport: { onmessage?: (message: object) => void } & Record<string, unknown> = {
        start: async () => undefined,
        send: async (message: object) => said.resolve(message),
        close: async () => undefined,
      };
      const connected = instance.connect(transport);
      const clientInfo = { name: 'hasty', version: '1.0.0' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const hears = transport.onmessage ?? expect.unreachable();
      hears({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      await connected;
      expect(await said.promise).toMatchObject({
        id: 1,
        result: { serverInfo: { name: 'parley-agent' } },
      });
      await instance.close();
    });

    test('errors of a service come out with their codes', async () => {
      const refusing = {
        list: async () => {
          throw new ToolError('rate_limited', 'Later.');
        },
      };
      const ctx = await newContext({ agentDirectory: refusing });
      expect(codeOf(await call(ctx, 'list_agents'))).toBe('rate_limited');
    });
  },
  () => ({ services: { projectExists: async () => true } }),
);
