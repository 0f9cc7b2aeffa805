/** Agents of other servers: who they are, and giving them something to do. */
import * as z from 'zod';
import { TRUST_LEVELS } from '../services/outside/remote.ts';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

const MINUTE_MS = 60_000;

const Url = text(2048).refine((url) => /^https?:\/\//i.test(url), 'must begin with https:// or http://');

const BLOCKED_ADDRESS = 'The address may not be reached.';
const names = z.array(z.string());

export const discoverAgent = defineTool({
  name: 'corvid_discover_agent',
  title: 'Discover a remote agent',
  description: 'Reads the card of an agent of another server: what it can do.',
  effect: 'read',
  external: true,
  errors: { blocked_address: BLOCKED_ADDRESS, invalid_card: 'The card is none.' },
  input: z.strictObject({ url: Url.describe('Base address of the agent') }),
  output: z.object({
    found: z.boolean(),
    card: z
      .object({
        name: z.string(),
        version: z.string(),
        description: z.string(),
        url: z.string(),
        provider: z.string().nullable(),
        streaming: z.boolean(),
        push: z.boolean(),
        auth_schemes: names,
        input_modes: names,
        output_modes: names,
        skills: z.array(z.object({ id: z.string(), name: z.string(), tags: names })),
      })
      .optional(),
  }),
  async run({ url }, { services, signal }, acting) {
    const card = await services.outside.remote.discover(acting, url, signal);
    return card === undefined ? { found: false } : { found: true, card };
  },
});

export const invokeRemoteAgent = defineTool({
  name: 'corvid_invoke_remote_agent',
  title: 'Invoke a remote agent',
  description: 'Gives a message to an agent of another server and waits for its reply.',
  effect: 'run',
  external: true,
  task: 'allowed',
  comeBack: {},
  errors: {
    blocked_address: BLOCKED_ADDRESS,
    depth_exceeded: 'Too many agents have called one another.',
    budget_exceeded: 'This session has called enough remote agents.',
    untrusted: 'The agent is not trusted enough.',
    remote_failed: 'The remote agent failed.',
    timeout: 'The remote agent took too long.',
  },
  input: z.strictObject({
    agent_url: Url.describe('Base address of the agent'),
    message: text(32_768).describe('What to tell it'),
    skill: text(200).optional().describe('Id of one of its skills'),
    timeout_minutes: z.number().min(1).max(30).default(5).describe('How long to wait'),
    min_trust: z
      .enum(TRUST_LEVELS)
      .optional()
      .describe('Refuses agents whose trust is not known, which is all of them now'),
  }),
  output: z.object({ task_id: z.string(), state: z.string(), reply: z.string(), elapsed_ms: z.number() }),
  run: ({ agent_url: url, message, skill, timeout_minutes, min_trust: minTrust }, ctx, acting) => {
    const invocation = { url, message, skill, timeoutMs: Math.round(timeout_minutes * MINUTE_MS), minTrust };
    return ctx.services.outside.remote.invoke(acting, invocation, ctx);
  },
});
