/** A browser as far as the console's API sees one: it keeps the cookie, says where its page is from, and sends the token of its session. */
import { createApp } from '../../apps/server/src/app.ts';
import type { App, AppOptions } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { scratchFolder } from './parley.ts';

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any;
}

export interface Asking {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One browser, on the pages of one server. */
export class Browser {
  readonly url: string;
  cookie: string | undefined;
  csrfToken: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** The headers that a page of the site itself sends. */
  headers(method: string): Record<string, string> {
    return {
      'sec-fetch-site': 'same-origin',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ...(method !== 'GET' && { origin: this.url }),
      ...(this.cookie !== undefined && { cookie: this.cookie }),
      ...(this.csrfToken !== undefined && method !== 'GET' && { 'x-csrf-token': this.csrfToken }),
    };
  }

  async ask(route: string, { body: sent, headers }: Asking = {}): Promise<Answered> {
    const [method = 'GET', path = '/'] = route.split(' ');
    const answer = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...this.headers(method),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    this.#keep(answer.headers);
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson ? JSON.parse(text) : undefined;
    // Another organization has another token.
    if (answer.ok && route === 'PUT /api/session/organization') this.csrfToken = body.data.csrfToken;
    return { status: answer.status, headers: answer.headers, text, body };
  }

  /** Signs in, and keeps what the session needs. */
  async signIn(shown: Readonly<Record<string, unknown>>): Promise<Answered> {
    const answer = await this.ask('POST /api/session', { body: shown });
    if (answer.status === 200) this.csrfToken = answer.body.data.csrfToken;
    return answer;
  }

  /** Calls a tool for its data; anything but a result throws. */
  // oxlint-disable-next-line typescript/no-explicit-any -- outputs of every shape
  async call(endpoint: string, tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const path = `/api/call/${encodeURIComponent(endpoint)}/${encodeURIComponent(tool)}`;
    const { status, text, body } = await this.ask(`POST ${path}`, { body: { arguments: args } });
    if (status !== 200 || body.data.isError) throw new Error(`${tool}: ${status} ${text}`);
    return body.data.structuredContent;
  }

  /** A stream of server-sent events. */
  async stream(route: string, { body, headers }: Asking = {}): Promise<EventReader> {
    const [method = 'GET', path = '/'] = route.split(' ');
    const stop = new AbortController();
    const answer = await fetch(`${this.url}${path}`, {
      method,
      signal: stop.signal,
      headers: {
        ...this.headers(method),
        accept: 'text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return new EventReader(answer, stop);
  }

  #keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.cookie = /max-age=0/i.test(line) ? undefined : pair;
    }
  }
}

export interface StreamEvent {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- data of every shape
  readonly data: any;
}

/** Reads events one after the other. */
export class EventReader {
  readonly status: number;
  readonly answer: Response;
  readonly #stop: AbortController;
  readonly #chunks: AsyncIterator<string>;
  #rest = '';

  constructor(answer: Response, stop: AbortController) {
    this.answer = answer;
    this.status = answer.status;
    this.#stop = stop;
    const text = answer.body?.pipeThrough(new TextDecoderStream());
    this.#chunks = (text ?? new ReadableStream<string>())[Symbol.asyncIterator]();
  }

  /** The next event, comments left out; undefined at the end. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const at = this.#rest.indexOf('\n\n');
      if (at === -1) {
        const { done, value } = await this.#chunks.next();
        if (done === true) return undefined;
        this.#rest += value;
        continue;
      }
      const frame = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at + 2);
      const lines = frame.split('\n').filter((line) => !line.startsWith(':'));
      const valueOf = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = valueOf('data');
      if (data === undefined) continue;
      return { event: valueOf('event') ?? 'message', data: JSON.parse(data) };
    }
  }

  /** All that is left. */
  async all(): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) events.push(event);
    return events;
  }

  close(): void {
    this.#stop.abort();
  }
}

export interface ConsoleServer extends AsyncDisposable {
  readonly app: App;
  readonly url: string;
  readonly mcp: string;
  /** The key of the first owner. */
  readonly key: string;
  browser(): Browser;
  /** A browser in which somebody is signed in by a link. */
  signedIn(who?: string): Promise<Browser>;
}

/** A server in this process, on a folder of its own. */
export async function startConsole(
  flags: readonly string[] = [],
  options: Omit<AppOptions, 'config'> = {},
): Promise<ConsoleServer> {
  const folder = scratchFolder();
  const args = ['--port', '0', '--log-level', 'silent', '--data', folder.path, ...flags];
  const app = await createApp({ config: loadConfig(args, { env: {} }).config, ...options });
  const { url, mcp } = await app.listen();
  await app.filled();
  const { readFileSync } = await import('node:fs');
  return {
    app,
    url,
    mcp,
    key: readFileSync(app.ownerKeyFile, 'utf8').trim(),
    browser: () => new Browser(url),
    async signedIn(who) {
      const { token } = await app.host.identity.web.createLink(who);
      const browser = new Browser(url);
      const { status, text } = await browser.signIn({ method: 'link', token });
      if (status !== 200) throw new Error(text);
      return browser;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      folder[Symbol.dispose]();
    },
  };
}
