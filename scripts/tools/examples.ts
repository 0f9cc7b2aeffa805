/** Owns the example of each tool: an input that it accepts, made from its schema, or written here where that is not enough. */
import type { ServedTool } from './served-tools.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Inputs that no schema tells. */
const WRITTEN: Readonly<Record<string, Record<string, unknown>>> = {
  PROJECT_GET: { organizationId: 'org_1', slug: 'website' },
  COLLECTION_THREADS_LIST: {
    where: { field: ['title'], operator: 'contains', value: 'release' },
    orderBy: [{ field: ['created_at'], direction: 'desc' }],
    limit: 20,
  },
  COLLECTION_THREAD_MESSAGES_LIST: {
    where: { field: ['thread_id'], operator: 'eq', value: 'thrd_1' },
  },
  MONITORING_DASHBOARD_CREATE: {
    name: 'Traffic',
    widgets: [
      {
        id: 'calls',
        name: 'Calls',
        type: 'metric',
        source: { path: '$', from: 'input' },
        aggregation: { fn: 'count' },
      },
    ],
  },
  MONITORING_WIDGET_PREVIEW: {
    widget: {
      id: 'calls',
      name: 'Calls',
      type: 'metric',
      source: { path: '$', from: 'input' },
      aggregation: { fn: 'count' },
    },
  },
  EVENT_SUBSCRIBE: { eventType: 'order.*', filter: '$[?@.total > 100]' },
  EVENT_PUBLISH: { type: 'order.paid', subject: 'order/17', data: { total: 150 } },
  EVENT_SYNC_SUBSCRIPTIONS: { subscriptions: [{ eventType: 'order.*' }] },
  DATABASES_RUN_SQL: { sql: 'select $1 as answer', params: [42] },
  CODE_EXECUTION_RUN_CODE: { code: 'export default async () => 6 * 7;' },
};

/** Words for texts by the name of their field. */
const WORDS: Readonly<Record<string, string>> = {
  title: 'Release plan',
  name: 'Website',
  slug: 'website',
  description: 'What is left to do',
  content: 'Thanks, this is fixed.',
  email: 'ada@example.com',
  url: 'https://example.com',
  origin: 'https://app.example.com',
  agent_url: 'https://agent.example.com',
  repo: 'octo/hello',
  username: 'octocat',
  head: 'mend-the-link',
  connection_url: 'https://mcp.example.com/mcp',
  emoji: '👍',
  code: 'export default async (input) => input;',
};

/** An input that the tool accepts; throws where none is known. */
export function exampleOf({ definition, literal }: ServedTool): Record<string, unknown> {
  const { name, inputSchema } = definition;
  const example = WRITTEN[name] ?? (valueOf(inputSchema, inputSchema, '') as Record<string, unknown>);
  const checked = literal?.input.safeParse(example);
  if (checked?.success === false)
    throw new Error(
      `${name} does not accept ${JSON.stringify(example)}. Write an example for it in scripts/tools/examples.ts.`,
    );
  return example;
}

function valueOf(schema: Schema, root: Schema, name: string): unknown {
  const { $ref: ref, anyOf, oneOf, enum: choices, const: constant, type, items, minItems } = schema;
  if (typeof ref === 'string') return valueOf(definitionOf(root, ref), root, name);
  const union = anyOf ?? oneOf;
  if (Array.isArray(union) && union[0] !== undefined) return valueOf(union[0] as Schema, root, name);
  if (Array.isArray(choices)) return choices[0];
  if (constant !== undefined) return constant;
  switch (type) {
    case 'object':
      return objectOf(schema, root);
    case 'array': {
      const isEmpty = minItems === undefined || minItems === 0;
      return isEmpty && !name.endsWith('s')
        ? []
        : [valueOf((items ?? {}) as Schema, root, name.replace(/s$/, ''))];
    }
    case 'integer':
    case 'number':
      return schema['default'] ?? Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    default:
      return textOf(schema, name);
  }
}

function objectOf(schema: Schema, root: Schema): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  // An object without anything in it shows nothing, unless there is nothing to show.
  const optional = Object.keys(properties).find((name) => !required.includes(name));
  const isChange = required.length === 1 && /id$/i.test(required[0] ?? '');
  const extra = optional !== undefined && (required.length === 0 || isChange) ? [optional] : [];
  return Object.fromEntries(
    [...required, ...extra].map((name) => [name, valueOf(properties[name] ?? {}, root, name)]),
  );
}

function textOf({ format, pattern }: Schema, name: string): string {
  if (WORDS[name] !== undefined) return WORDS[name];
  const [, stem = ''] = /^(.*?)_?ids?$/i.exec(name) ?? [];
  if (/ids?$/i.test(name)) return `${stem === '' ? 'id' : stem}_1`;
  if (format === 'date-time' || /(?:Date|At)$/.test(name)) return '2026-03-01T09:00:00Z';
  return typeof pattern === 'string' && pattern.includes('[a-z0-9') ? 'website' : 'text';
}

function definitionOf(root: Schema, ref: string): Schema {
  const { $defs = {} } = root as { $defs?: Record<string, Schema> };
  return $defs[ref.split('/').at(-1) ?? ''] ?? {};
}
