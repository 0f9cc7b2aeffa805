/** The toolsets that the gateway's tests serve: one tool for each way a call can go. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AnyTool } from '@parley/kit';
import { defineOutsideTool, definePrompt, defineResource, defineToolFor, defineToolset } from '@parley/kit';
import * as z from 'zod';
import { Mailbox } from './mailbox.ts';

/** What the tools of a test tell the test. */
export interface Lab {
  /** The name of every tool whose `run` was entered. */
  readonly ran: string[];
  /** The signal of every call of `wait`, once it runs. */
  readonly waiting: Mailbox<AbortSignal>;
  /** How often the step of `ask` did its work. */
  steps: number;
}

/** A fresh lab. */
export function createLab(): Lab {
  return { ran: [], waiting: new Mailbox(), steps: 0 };
}

const defineTool = defineToolFor<Lab>();
const nothing = z.object({});
const PIXEL = 'iVBORw0KGgo=';

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.',
  effect: 'read',
  input: z.object({ text: z.string().max(10_000).describe('What to say') }),
  output: z.object({ text: z.string() }),
  run({ text }, { services }) {
    services.ran.push('echo');
    return { text };
  },
});

const typed = defineTool({
  name: 'typed',
  title: 'Typed',
  description: 'Takes one of everything.',
  effect: 'read',
  input: z.object({
    count: z.int().min(1).max(10).describe('How many'),
    mode: z.enum(['fast', 'slow']).describe('How'),
    flag: z.boolean().optional().describe('Whether'),
    where: z
      .object({ x: z.number().describe('Across') })
      .optional()
      .describe('Where'),
  }),
  output: z.object({ count: z.number() }),
  text: ({ count }) => `Counted ${count}.`,
  run({ count }, { services }) {
    services.ran.push('typed');
    return { count };
  },
});

const fail = defineTool({
  name: 'fail',
  title: 'Fail',
  description: 'Fails with data.',
  effect: 'read',
  input: nothing,
  output: nothing,
  errors: { too_late: 'The time for it has passed.' },
  run(_input, ctx) {
    throw ctx.error('too_late', 'It is "too late" for this.', { since: 7 });
  },
});

const broken = defineTool({
  name: 'broken',
  title: 'Broken',
  description: 'Answers against its own schema.',
  effect: 'read',
  input: nothing,
  output: z.object({ count: z.number() }),
  // The wrong type is what this tool is for.
  run: () => ({ count: 'many' }) as unknown as { count: number },
});

const explode = defineTool({
  name: 'explode',
  title: 'Explode',
  description: 'Throws what nobody may see.',
  effect: 'read',
  input: nothing,
  output: nothing,
  run() {
    throw new Error('select * from secrets at /var/lib/parley/db.ts:7');
  },
});

const wait = defineTool({
  name: 'wait',
  title: 'Wait',
  description: 'Waits until it is cancelled.',
  effect: 'read',
  input: nothing,
  output: nothing,
  run(_input, { signal, services }) {
    services.ran.push('wait');
    return new Promise<Record<string, never>>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      services.waiting.put(signal);
    });
  },
});

const chatter = defineTool({
  name: 'chatter',
  title: 'Chatter',
  description: 'Tells its progress until nobody listens any more.',
  effect: 'read',
  input: nothing,
  output: nothing,
  async run(_input, ctx) {
    const { signal, services } = ctx;
    services.waiting.put(signal);
    for (let done = 1; done <= 1000 && !signal.aborted; done += 1) {
      await ctx.progress(done, undefined, 'x'.repeat(100_000));
      await new Promise(setImmediate);
    }
    services.ran.push(signal.aborted ? 'cut' : 'all said');
    return {};
  },
});

const ask = defineTool({
  name: 'ask',
  title: 'Ask',
  description: 'Asks for a name.',
  effect: 'read',
  input: z.object({ topic: z.string().describe('About what') }),
  output: z.object({ said: z.string() }),
  async run({ topic }, ctx) {
    await ctx.step('count', () => {
      ctx.services.steps += 1;
    });
    const { name } = await ctx.ask('who', {
      message: `Who asks about ${topic}?`,
      schema: z.object({ name: z.string().describe('Your name') }),
    });
    return { said: `${name} on ${topic}` };
  },
});

const region = defineTool({
  name: 'region',
  title: 'Region',
  description: 'Takes arguments that travel as headers too.',
  effect: 'read',
  input: z.object({
    region: z.string().meta({ 'x-mcp-header': 'Region' }).describe('Where'),
    level: z.int().optional().meta({ 'x-mcp-header': 'Level' }).describe('How deep'),
  }),
  output: z.object({ region: z.string() }),
  run({ region: name }, { services }) {
    services.ran.push('region');
    return { region: name };
  },
});

const kinds = defineTool({
  name: 'kinds',
  title: 'Kinds',
  description: 'Answers with every kind of content.',
  effect: 'read',
  input: nothing,
  output: z.object({ ok: z.boolean() }),
  content: () => [
    { type: 'text', text: 'Grüße \u{1F600} \u2028 "quoted"' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'lab://note', name: 'note', mimeType: 'text/plain' },
    { type: 'resource', resource: { uri: 'lab://inside', mimeType: 'text/plain', text: 'inside' } },
    { type: 'resource', resource: { uri: 'lab://bytes', mimeType: 'image/png', blob: PIXEL } },
  ],
  run: () => ({ ok: true }),
});

const open = defineTool({
  name: 'open',
  title: 'Open',
  description: 'Takes any field and tells what it got.',
  effect: 'read',
  input: z.looseObject({}),
  output: z.object({ keys: z.array(z.string()), isPolluted: z.boolean() }),
  run(input) {
    // A key named like this must be data, never a prototype.
    const isPolluted = 'polluted' in {} || ('polluted' in input && !Object.hasOwn(input, 'polluted'));
    return { keys: Object.keys(input).toSorted(), isPolluted };
  },
});

const large = defineTool({
  name: 'large',
  title: 'Large',
  description: 'Answers with more than fits.',
  effect: 'read',
  input: nothing,
  output: z.object({ text: z.string() }),
  run: () => ({ text: 'x'.repeat(2 * 1024 * 1024) }),
});

const start = defineTool({
  name: 'start',
  title: 'Start',
  description: 'Runs something.',
  effect: 'run',
  input: nothing,
  output: nothing,
  run(_input, { services }) {
    services.ran.push('start');
    return {};
  },
});

const reach = defineTool({
  name: 'reach',
  title: 'Reach',
  description: 'Reaches outside.',
  effect: 'read',
  external: true,
  input: nothing,
  output: nothing,
  run: () => ({}),
});

const measured = defineTool({
  name: 'measured',
  title: 'Measured',
  description: 'Reaches outside, as often as it allows itself.',
  effect: 'read',
  external: true,
  ownRate: true,
  input: nothing,
  output: nothing,
  run: () => ({}),
});

const odd = defineOutsideTool({
  name: 'odd',
  title: 'Odd',
  description: 'A foreign tool whose answer has its fields in another order, and some of its own.',
  effect: 'read',
  inputSchema: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false },
  call: () =>
    // A foreign server sends what it likes.
    JSON.parse(
      '{"isError":false,"own":1,"content":[{"text":"odd","type":"text","own":2,"annotations":{"priority":1,"audience":["user"]}}],"_meta":{"b":1}}',
    ) as CallToolResult,
});

const note = defineResource<Lab>({
  name: 'note',
  title: 'Note',
  description: 'A fixed text.',
  mimeType: 'text/plain',
  uri: 'lab://note',
  read: () => ({ text: 'noted' }),
});

const page = defineResource<Lab>({
  name: 'page',
  title: 'Page',
  description: 'A numbered text.',
  uri: 'lab://pages/{id}',
  read: ({ id }) => ({ text: `page ${id}` }),
});

const greet = definePrompt({
  name: 'greet',
  title: 'Greet',
  description: 'A greeting.',
  arguments: z.object({ name: z.string().describe('Whom') }),
  get: ({ name }) => `Hello, ${name}!`,
});

/** Tools for every way a call can go. */
export const labToolset = defineToolset({
  name: 'lab',
  title: 'Lab',
  tools: [
    echo,
    typed,
    fail,
    broken,
    explode,
    wait,
    ask,
    region,
    kinds,
    open,
    large,
    start,
    reach,
    measured,
    odd,
  ],
  resources: [note, page],
  prompts: [greet],
});

/** A toolset whose tool says more than anybody reads. */
export const chatterToolset = defineToolset({ name: 'chatter', title: 'Chatter', tools: [chatter] });

/** A toolset with a resource of its own, which most callers of the tests may not read. */
export const vaultToolset = defineToolset({
  name: 'vault',
  title: 'Vault',
  tools: [],
  resources: [
    defineResource<Lab>({
      name: 'secret',
      title: 'Secret',
      description: 'Not for everyone.',
      uri: 'vault://secret',
      read: () => ({ text: 'hush' }),
    }),
  ],
});

/** So many tools, all alike: `tool_000`, `tool_001` and on. */
export function manyTools(count: number): ReturnType<typeof defineToolset> {
  const tools: AnyTool[] = Array.from({ length: count }, (_, index) => {
    const name = `tool_${String(index).padStart(3, '0')}`;
    return defineTool({
      name,
      title: `Tool ${index}`,
      description: 'One of many.',
      effect: 'read',
      input: nothing,
      output: z.object({ name: z.string() }),
      run(_input, { services }) {
        services.ran.push(name);
        return { name };
      },
    });
  });
  return defineToolset({ name: 'many', title: 'Many', tools });
}
