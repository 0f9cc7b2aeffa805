/** Web search by a provider that speaks the API of Brave Search. */
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import * as z from 'zod';
import type { OperatorBase } from '../outbound.ts';
import { ask, jsonOf } from '../outbound.ts';
import type { SearchProvider } from './search.ts';

export const SEARCH_URL = 'https://api.search.brave.com';

const PATH = '/res/v1/web/search';
const MAX_TITLE = 500;
const MAX_URL = 2048;
const MAX_DESCRIPTION = 2000;

const text = (most: number) =>
  z
    .string()
    .catch('')
    // Providers mark the words that were asked for.
    .transform((given) => given.replaceAll(/<\/?strong>/g, '').slice(0, most));

const Found = z.object({
  title: text(MAX_TITLE),
  url: z.string().min(1).max(MAX_URL),
  description: text(MAX_DESCRIPTION),
  age: z.string().max(100).optional().catch(undefined),
});
const Answer = z.object({ web: z.object({ results: z.array(z.unknown()) }).optional() });

export interface BraveOptions {
  readonly egress: Egress;
  readonly base: OperatorBase;
  readonly key: string;
}

export function createBraveSearch({ egress, base, key }: BraveOptions): SearchProvider {
  const endpoint = base.url.pathname === '/' ? new URL(PATH, base.url) : base.url;
  return {
    async search(query, { count, freshness, signal }) {
      const url = new URL(endpoint);
      url.searchParams.set('q', query);
      url.searchParams.set('count', String(count));
      if (freshness !== undefined) url.searchParams.set('freshness', freshness);
      const headers = { accept: 'application/json', 'x-subscription-token': key };
      const answered = await ask(egress, url, { headers, signal, allow: base.allow }).catch(refuse);
      if (answered.status !== 200) throw failed(answered.status);
      const parsed = Answer.safeParse(jsonOf(answered));
      if (!parsed.success) throw failed(answered.status);
      const found = (parsed.data.web?.results ?? []).slice(0, count).map((each) => Found.safeParse(each));
      return found.flatMap(({ data }) => (data === undefined ? [] : [data]));
    },
  };
}

function failed(status: number): ToolError {
  const message = `The search provider answered with status ${status}. Try again later, or ask the operator to check its key.`;
  return new ToolError('provider_failed', message, { status });
}

function refuse(error: unknown): never {
  if (!(error instanceof EgressError)) throw error;
  throw new ToolError('unavailable', 'The search provider does not answer. Try again later.');
}
