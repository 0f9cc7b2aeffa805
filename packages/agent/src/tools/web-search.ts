/** Looking things up on the web. */
import * as z from 'zod';
import { FRESHNESS } from '../adapters/search/search.ts';
import type { Research } from '../services/outside/search.ts';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

const MAX_COUNT = 20;

const Result = z.object({
  title: z.string(),
  url: z.string(),
  description: z.string(),
  age: z.string().optional(),
});

const errors = { provider_failed: 'The search provider refused.' };

export const webSearch = defineTool({
  name: 'corvid_web_search',
  title: 'Search the web',
  description: 'Searches the web.',
  effect: 'read',
  external: true,
  errors,
  input: z.strictObject({
    query: text(400).describe('What to look for'),
    count: z.number().default(5).describe('How many results, 1 to 20'),
    freshness: z.enum(FRESHNESS).optional().describe('Of the last day, week, month or year'),
  }),
  output: z.object({ results: z.array(Result) }),
  async run({ query, count, freshness }, { services, signal }, acting) {
    const within = Math.min(MAX_COUNT, Math.max(1, Math.trunc(count)));
    const wanted = { query, count: within, freshness };
    return { results: await services.outside.search.search(acting, wanted, signal) };
  },
});

export const deepResearch = defineTool({
  name: 'corvid_deep_research',
  title: 'Research a topic',
  description: 'Searches the web for a topic from up to 5 sides at once, each page once.',
  effect: 'read',
  external: true,
  task: 'allowed',
  comeBack: {},
  errors,
  input: z.strictObject({
    topic: text(400).describe('What it is about'),
    sub_questions: z
      .array(text(400))
      .max(10)
      .default([])
      .describe('What to ask besides; the first 4 count. By default benefits, challenges, examples, news'),
  }),
  output: z.object({
    queries: z.array(z.object({ query: z.string(), ok: z.boolean(), results: z.array(Result) })),
    total: z.int(),
    unique: z.int(),
  }),
  text: markdownOf,
  run: ({ topic, sub_questions: questions }, { services, signal }, acting) =>
    services.outside.search.research(acting, { topic, questions }, signal),
});

function markdownOf({ queries }: Research): string {
  const parts = queries.map(({ query, ok, results }) => {
    const found = results.map(({ title, url, description }) => `- [${title}](${url}): ${description}`);
    const lines = ok ? found : ['(this query failed)'];
    return [`## ${query}`, ...(lines.length > 0 ? lines : ['(nothing new)'])].join('\n');
  });
  return parts.join('\n\n');
}
