/** A server whose tools are as odd as tools can be: what they take, and what they answer. */
import type { Turn, WireUpstream } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
});
const shapeOf = (kind: string, size: string) => ({
  title: kind,
  ...object({ kind: { const: kind }, [size]: { type: 'number' } }, ['kind', size]),
});

const manyFields = Object.fromEntries(
  Array.from({ length: 200 }, (_none, index) => [
    `field_${index}`,
    { type: ['string', 'integer', 'boolean'][index % 3], description: `Field number ${index}` },
  ]),
);

const nested = {
  ...object(
    {
      matrix: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      people: { type: 'array', items: object({ name: { type: 'string' } }, ['name']) },
      shape: { oneOf: [shapeOf('circle', 'radius'), shapeOf('square', 'side')] },
      tree: { $ref: '#/$defs/node' },
    },
    ['shape'],
  ),
  $defs: {
    node: object({ label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
  },
};

const inputs: Readonly<Record<string, object>> = {
  many_fields: object(manyFields, ['field_0']),
  nested,
  no_properties: { type: 'object' },
  endless: object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] }, constructor: { type: 'string' } }, [
    'next',
    'constructor',
  ]),
  steps: object({}),
  asks: object({}),
  table: object({}),
  huge: object({}),
  markup: object({}),
  picture: object({}),
  app: object({}),
};

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const APP = `<!doctype html><h1>An app</h1><script>
  let seen = 'cookie kept';
  try { document.cookie } catch { seen = 'no cookies' }
  document.querySelector('h1').textContent = 'An app: ' + seen;
</script>`;
const QUESTION = {
  mode: 'form',
  message: 'Who is it for?',
  requestedSchema: object({ name: { type: 'string' } }, ['name']),
};

export const MARKUP =
  '<img src=x onerror="window.hacked = 1"> [link](javascript:window.hacked=1) [ok](https://evil.example/a) \u202Egnp.exe';

type Answer = (turn: Turn, args: Record<string, unknown>) => unknown;

const answers: Readonly<Record<string, Answer>> = {
  steps(turn) {
    const { progressToken } = turn.message.params?._meta ?? {};
    for (const progress of [1, 2, 3])
      turn.event({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 3, message: `Part ${progress}` },
      });
    turn.result({ content: [{ type: 'text', text: 'All **three** parts are done.' }] });
  },
  asks(turn) {
    const { inputResponses } = turn.message.params ?? {};
    if (inputResponses !== undefined)
      return turn.result({
        content: [{ type: 'text', text: `Answered: ${JSON.stringify(inputResponses)}` }],
      });
    const inputRequests = { who: { method: 'elicitation/create', params: QUESTION } };
    return turn.result({ resultType: 'input_required', inputRequests, requestState: 'mine' });
  },
  table(turn) {
    const rows = Array.from({ length: 1_000 }, (_none, index) => ({ index, name: `Row ${index}` }));
    turn.result({ content: [], structuredContent: { rows } });
  },
  huge: (turn) => turn.result({ content: [{ type: 'text', text: 'long '.repeat(1_900_000) }] }),
  markup: (turn) =>
    turn.result({
      content: [{ type: 'text', text: MARKUP }],
      structuredContent: { html: '<script>window.hacked = 1</script>' },
    }),
  picture: (turn) => turn.result({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
  app: (turn) =>
    turn.result({
      content: [
        {
          type: 'resource',
          resource: { uri: 'ui://clock/page', mimeType: 'text/html;profile=mcp-app', text: APP },
        },
      ],
    }),
};

/** Starts it; it ends with the test. What it does not know it answers with what it was given. */
export function serveOddTools(): Promise<WireUpstream> {
  const tools = Object.entries(inputs).map(([name, inputSchema]) => ({
    name,
    title: name.replaceAll('_', ' '),
    description: 'Does something odd with <b>what</b> it is given.',
    inputSchema,
    annotations: { readOnlyHint: true },
  }));
  return serveWire({
    era: '2026',
    methods: {
      'tools/list': ({ result }) => result({ tools, ttlMs: 0, cacheScope: 'private' }),
      'tools/call': (turn) => {
        const { name = '', arguments: args = {} } = (turn.message.params ?? {}) as {
          name?: string;
          arguments?: Record<string, unknown>;
        }; // as every call has them
        const answer = answers[name];
        if (answer) return answer(turn, args);
        return turn.result({ content: [], structuredContent: { given: args } });
      },
    },
  });
}
