/** The public pages over real HTTP, and a browser without scripts, for tests. */
import { createServer } from 'node:http';
import { detach } from '@parley/kit';
import { listening } from '@parley/test-support/listening';
import type { PageOptions } from '../src/pages/routes.ts';
import { createPageRoutes } from '../src/pages/routes.ts';
import type { FeedbackServices } from '../src/services/index.ts';

/** A running site. */
export interface ServedPages extends AsyncDisposable {
  readonly url: string;
}

/** Serves the pages on a free port. */
export async function servePages(
  services: FeedbackServices,
  options: Partial<PageOptions> = {},
): Promise<ServedPages> {
  const routes = createPageRoutes(services, { names: { hosts: [], origins: [] }, ...options });
  const server = createServer({ joinDuplicateHeaders: true }, (req, res) => {
    const path = (req.url ?? '/').split('?')[0] ?? '/';
    const found = routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    if (found === undefined) res.writeHead(404).end();
    else detach(found.handle(req, res), (error) => res.destroy(error as Error));
  });
  return listening(server);
}

/** What came back. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser that keeps its cookie, runs no scripts, and sends forms as browsers do. */
export interface PlainBrowser {
  get(path: string, headers?: Record<string, string>): Promise<Shown>;
  /** Sends a form with the token of the page that it is on. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Shown>;
  readonly cookie: string | undefined;
}

/** Opens a browser on a site. */
export function openBrowser({ url }: ServedPages): PlainBrowser {
  let cookie: string | undefined;
  let csrf: string | undefined;
  const ask = async (
    path: string,
    headers: Record<string, string>,
    init: RequestInit = {},
  ): Promise<Shown> => {
    const given = { ...(cookie !== undefined && { cookie }), ...headers };
    const answer = await fetch(url + path, { ...init, headers: given, redirect: 'manual' });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const text = await answer.text();
    csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? csrf;
    return { status: answer.status, headers: answer.headers, text };
  };
  return {
    get: (path, headers = {}) => ask(path, headers),
    post: (path, fields, headers = {}) =>
      ask(
        path,
        { origin: url, 'sec-fetch-site': 'same-origin', ...headers },
        { method: 'POST', body: new URLSearchParams({ ...(csrf !== undefined && { csrf }), ...fields }) },
      ),
    get cookie() {
      return cookie;
    },
  };
}
