/** REST and MCP with one key each, as the owner and the agent use them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** REST below `/api`; throws with the words of the server. */
export interface Api {
  get<Data>(path: string): Promise<Data>;
  post<Data>(path: string, body?: object): Promise<Data>;
  patch<Data>(path: string, body: object): Promise<Data>;
  put<Data>(path: string, body?: object): Promise<Data>;
}

export function openApi(url: string, key: string): Api {
  const send = async <Data>(method: string, path: string, body: object = {}): Promise<Data> => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const { data, error } = JSON.parse(text === '' ? '{}' : text) as {
      data: Data;
      error?: { message: string };
    };
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${error?.message}`);
    return data;
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    patch: (path, body) => send('PATCH', path, body),
    put: (path, body) => send('PUT', path, body),
  };
}

/** A connected MCP client. */
export interface Mcp extends AsyncDisposable {
  call<Result>(name: string, input: object): Promise<Result>;
  read<Document>(uri: string): Promise<Document>;
  /** Hears of every change of a document. */
  follow(uri: string, onChange: () => void): Promise<void>;
}

/** Connects to one toolset. */
export async function openMcp(url: string, toolset: string, key: string): Promise<Mcp> {
  const client = new Client({ name: 'on-call', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/${toolset}`), { requestInit }));
  return {
    async call(name, input) {
      const { isError, structuredContent, content } = await client.callTool({
        name,
        arguments: { ...input },
      });
      if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
      // The server has checked it against the output that the tool declares.
      return structuredContent as never;
    },
    async read(uri) {
      const { contents } = await client.readResource({ uri }, { cacheMode: 'bypass' });
      const [first] = contents;
      return JSON.parse(first !== undefined && 'text' in first ? first.text : 'null') as never;
    },
    async follow(uri, onChange) {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        if (params.uri === uri) onChange();
      });
      await client.listen({ resourceSubscriptions: [uri] });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
