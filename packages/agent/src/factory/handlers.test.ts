/** The built-in tools as functions: one for each, with its input, its answer and its errors. */
import { ToolError } from '@parley/kit';
import { afterAll, expect, test } from 'vitest';
import { onOneBed } from '../../test/agent-bed.ts';
import { validInputs } from '../../test/valid-inputs.ts';
import { AGENT_TOOLS } from '../tools/sets.ts';
import * as handlers from './handlers.ts';
import { closeAgentStore } from './on-store.ts';

type AnyHandler = (ctx: object, input: unknown) => Promise<object>;

const byName = handlers as unknown as Readonly<Record<string, AnyHandler>>; // the table below calls all of them

/** `corvid_send_message` is `handleSendMessage`. */
function handlerName(tool: string): string {
  const words = tool.split('_').slice(1);
  return `handle${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

test('there is one for each of the 37 tools, named after it', () => {
  expect(Object.keys(handlers).toSorted()).toEqual(
    AGENT_TOOLS.map(({ name }) => handlerName(name)).toSorted(),
  );
});

onOneBed('the tools as functions', (bed) => {
  afterAll(() => closeAgentStore(bed().store));

  test('answer as the tools do, or throw what those answer with, whatever the list of the agent', async () => {
    const { acme, agent, store, services } = bed();
    const { id } = await agent(acme.owner.caller, { tools: [] });
    const { id: other } = await agent(acme.owner.caller);
    const account = (await services.agents.get(acme.id, other))?.account_id ?? '';
    const { corvid_ask_owner: _waits, ...inputs } = validInputs({ other, account });
    const ctx = { agentId: id, store, clock: () => bed().clock.nowMs };
    const codes: Record<string, string> = {};
    for (const [name, input] of Object.entries(inputs)) {
      const handle = byName[handlerName(name)] ?? expect.unreachable();
      const answer = await handle(ctx, input).catch((error: unknown) => error);
      if (answer instanceof ToolError) codes[name] = answer.code;
      else expect([name, answer]).toEqual([name, expect.not.objectContaining({ stack: expect.anything() })]);
      await expect(handle(ctx, { ...input, no_such_field: 1 })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('no_such_field: is not a known field'),
      });
      await expect(handle({ ...ctx, agentId: 'agt_none' }, input)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    const unavailable = Object.keys(inputs).filter((name) =>
      /github|search|research|remote|discover|extend|work_task|code_|references/.test(name),
    );
    expect(codes).toEqual({
      ...Object.fromEntries(unavailable.map((name) => [name, 'unavailable'])),
      corvid_check_health_trends: 'not_found',
    });
  });

  test('have the types of their tools', async () => {
    const { acme, agent, store } = bed();
    const { id } = await agent(acme.owner.caller);
    const saved = await handlers.handleSaveMemory({ agentId: id, store }, { key: 'a', content: 'b' });
    const created: boolean = saved.created;
    expect(created).toBe(true);
    const recalled = await handlers.handleRecallMemory({ agentId: id, store }, { key: 'a' });
    expect(recalled.memories.map(({ content }) => content)).toEqual(['b']);
    const ended = AbortSignal.abort();
    const search = async (_query: string, { signal }: { signal: AbortSignal }) => {
      signal.throwIfAborted();
      return [];
    };
    const ctx = { agentId: id, store, signal: ended, searchProvider: { search } };
    await expect(handlers.handleWebSearch(ctx, { query: 'mcp' })).rejects.toThrow('aborted');
  });
});
