/** A stand-in that answers like the web search API of Brave. */
import type { RecordingServer } from './recording-server.ts';
import { startRecordingServer } from './recording-server.ts';

export const SEARCH_KEY = 'brave-test-key';

/** Each query finds a page of its own, and one that every query finds; one with `fail` in it fails. */
export function startSearchApi(): Promise<RecordingServer> {
  return startRecordingServer(({ method, path, headers }) => {
    const url = new URL(path, 'http://search.test');
    if (method !== 'GET' || url.pathname !== '/res/v1/web/search') return { status: 404 };
    if (headers['x-subscription-token'] !== SEARCH_KEY)
      return { status: 422, body: { type: 'ErrorResponse' } };
    const query = url.searchParams.get('q') ?? '';
    if (query.includes('fail')) return { status: 503, body: { type: 'ErrorResponse' } };
    const page = encodeURIComponent(query);
    const results = [
      {
        title: `About <strong>${query}</strong>`,
        url: `https://pages.example/${page}`,
        description: 'One',
        age: '2 days',
      },
      { title: 'Shared', url: 'https://www.shared.example/page/?utm_source=x#top', description: 'Two' },
      { title: 'Broken', description: 'It has no address' },
    ];
    return { body: { type: 'search', web: { type: 'search', results } } };
  });
}
