/** Runs a tool for code of this program: no client and no guard, but its input and its answer are checked as for everybody. */
import type * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import { brokenOutput, compileTool } from '../catalog/compiled-tool.ts';
import type { Channel } from '../channel/channel.ts';
import { CallContext } from '../channel/call-context.ts';
import type { Tool } from '../define/tool.ts';
import { ToolError } from './errors.ts';
import { requestInfo } from './exchange.ts';
import { describeIssues } from './validation.ts';

/** Who runs it, on what. */
export interface DirectCall<Services> {
  readonly caller: Caller;
  readonly services: Services;
  /** Absent: it is never cancelled. */
  readonly signal?: AbortSignal | undefined;
}

const NEVER = new AbortController().signal;

const NOBODY: Channel = {
  capabilities: {},
  async request(key) {
    throw new ToolError('declined', `Nobody is there to answer "${key}".`, { reason: 'unsupported' });
  },
  step: async (_key, work) => work(),
};

/** Returns the answer of a tool, or throws what it throws; arguments that do not fit are `invalid`. */
export async function runTool<Services, Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Services, string, Input, Output>,
  input: z.input<Input>,
  { caller, services, signal = NEVER }: DirectCall<Services>,
): Promise<z.output<Output>> {
  const checked = await compileTool(tool, { toolset: '', services }).check(input);
  if (!checked.ok) throw checked.error;
  const info = requestInfo({ id: 'direct', era: 'local', client: null });
  const exchange = { info, signal: () => signal, channel: NOBODY };
  const ctx = new CallContext({ caller, exchange, channel: NOBODY }, services);
  // What the check let through.
  const output = tool.output.safeParse(await tool.run(checked.value as z.output<Input>, ctx));
  if (output.success) return output.data;
  throw brokenOutput(tool.name, describeIssues(output.error.issues));
}
