/** Other servers of the same API, each with habits of its own: proxies that reword what a real one answers. */
import { serveForTest } from '@parley/test-support/scripted-server';

/** How a server words its answers. */
export interface Dialect {
  readonly name: string;
  reword(status: number, body: Record<string, unknown>): unknown;
}

/** Pages under `meta.pagination`, with fields that nobody knows. */
export const metaPagination: Dialect = {
  name: 'a foreign server with meta.pagination',
  reword: (_status, body) => ({ ...body, requestId: 'req_1' }),
};

/** Pages at the top level. */
export const topPagination: Dialect = {
  name: 'a foreign server with top-level pagination',
  reword(_status, { meta, ...body }) {
    const { pagination } = (meta ?? {}) as { pagination?: unknown };
    return { ...body, ...(pagination !== undefined && { pagination }) };
  },
};

/** Errors as a plain text. */
export const plainErrors: Dialect = {
  name: 'a foreign server with {error: "text"}',
  reword(status, body) {
    const { message } = (body.error ?? {}) as { message?: unknown };
    return status >= 400 ? { error: message } : body;
  },
};

/** Serves the API at `url` in another dialect until the test ends; returns its address. */
export async function serveDialect(url: string, { reword }: Dialect): Promise<string> {
  const { origin } = await serveForTest(async (asked, res) => {
    const { host: _host, connection: _connection, ...headers } = asked.headers;
    const answer = await fetch(new URL(asked.url, url), {
      method: asked.method,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(asked.body !== '' && { body: asked.body }),
    });
    const text = await answer.text();
    res.writeHead(answer.status, { 'content-type': 'application/json' });
    res.end(text === '' ? '' : JSON.stringify(reword(answer.status, JSON.parse(text))));
  });
  return origin;
}
