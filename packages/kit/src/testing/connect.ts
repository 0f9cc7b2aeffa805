/** A typed client in the same process: the real protocol of either era, and no port. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult, CreateMessageResult } from '@modelcontextprotocol/server';
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import { OpenConnection } from '../channel/connection.ts';
import type { Engine } from '../call/engine.ts';
import { createEngine } from '../call/engine.ts';
import type { Source } from '../catalog/source.ts';
import { toolsetSource } from '../catalog/source.ts';
import { ERROR_CODE_META_KEY, ERROR_DATA_META_KEY } from '../call/errors.ts';
import type { Middleware } from '../call/middleware.ts';
import { withLegacyCodes } from '../protocol/legacy-codes.ts';
import { createProtocolServer } from '../protocol/server.ts';
import type { CallRecord } from '../call/record.ts';
import type { TaskSeam } from '../call/task-seam.ts';
import type { AnyTool } from '../define/tool.ts';
import type { Toolset } from '../define/toolset.ts';
import { install } from '../define/toolset.ts';
import { testCaller } from './callers.ts';

/** How the person and the model behind the client answer. */
export interface Answers {
  /** The form's content; undefined declines. */
  ask?(message: string): Record<string, string | number | boolean | string[]> | undefined;
  /** What the model says. */
  sample?(prompt: string): string;
  roots?: string[];
}

export interface ConnectOptions<Services> {
  /** Who calls; absent: an owner with every grant. */
  readonly as?: Partial<Caller>;
  readonly services?: Services;
  readonly answers?: Answers;
  /** The name that the client gives itself; absent: `parley-test`. */
  readonly client?: string;
  /** Absent: 2026-07-28. */
  readonly era?: 'modern' | 'legacy';
  readonly middleware?: readonly Middleware[];
  /** Runs tools that may be tasks as tasks; absent: everything runs inline. */
  readonly tasks?: TaskSeam;
  /** What the engine serves besides the toolset. */
  readonly sources?: readonly Source[];
}

type ToolNamed<Tools extends readonly unknown[], Name> = Extract<Tools[number], { name: Name }>;
type InputOf<T> = T extends { input: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : Record<string, unknown>;
type OutputOf<T> = T extends { output: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Record<string, unknown>;
type CodeOf<T> = T extends { errors?: infer Errors } ? keyof NonNullable<Errors> : never;

/** How a call ended, with the types of its tool. */
export type Attempt<Output, Code> =
  | { readonly ok: true; readonly value: Output; readonly text: string }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly data: unknown };

/** The typed client. */
export interface TestClient<Tools extends readonly unknown[]> {
  /** Calls a tool; a tool error is thrown as an Error with its code. */
  call<Name extends Extract<Tools[number], { name: string }>['name']>(
    name: Name,
    input: InputOf<ToolNamed<Tools, Name>>,
  ): Promise<OutputOf<ToolNamed<Tools, Name>>>;
  /** Calls a tool and tells how it ended. */
  attempt<Name extends Extract<Tools[number], { name: string }>['name']>(
    name: Name,
    input: InputOf<ToolNamed<Tools, Name>>,
  ): Promise<Attempt<OutputOf<ToolNamed<Tools, Name>>, CodeOf<ToolNamed<Tools, Name>> | string>>;
  /** The names the caller sees. */
  toolNames(): Promise<string[]>;
  /** The SDK's own client, for everything else. */
  readonly raw: Client;
  readonly engine: Engine;
  /** One entry per call, read and denial so far. */
  readonly records: readonly CallRecord[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const INFO = { name: 'parley-test', version: '0.0.0' };

/**
 * Connects to a toolset.
 *
 * @example
 * await using client = await connect(board, { services });
 * expect(await client.call('add_note', { text: 'hi' })).toEqual({ id: 1 });
 */
export async function connect<Services, Tools extends readonly AnyTool[]>(
  toolset: Toolset<Services, never, Tools>,
  options: ConnectOptions<Services> = {},
): Promise<TestClient<Tools>> {
  const records: CallRecord[] = [];
  const engine = createEngine({
    sources: [toolsetSource(install(toolset, options.services ?? {})), ...(options.sources ?? [])],
    middleware: options.middleware ?? [],
    ...(options.tasks !== undefined && { tasks: options.tasks }),
    observe: (record) => records.push(record),
  });
  const caller = testCaller(options.as);
  await engine.ready(caller);
  const raw = createClient(options.answers ?? {}, options.era ?? 'modern', options.client ?? INFO.name);
  const close = await attach(raw, engine, caller, options.era ?? 'modern');

  // The SDK's client is untyped; the toolset's own types are put back on here.
  const attempt = async (name: string, input: unknown): Promise<Attempt<unknown, string>> => {
    const args = input as Record<string, unknown>; // a typed caller can only give an object
    return toAttempt(await raw.callTool({ name, arguments: args }));
  };
  const client = {
    raw,
    engine,
    records,
    attempt,
    async call(name: string, input: unknown) {
      const outcome = await attempt(name, input);
      if (outcome.ok) return outcome.value;
      throw Object.assign(new Error(outcome.message), { code: outcome.code, data: outcome.data });
    },
    toolNames: async () => (await raw.listTools()).tools.map((tool) => tool.name),
    close,
    [Symbol.asyncDispose]: close,
  };
  return client as TestClient<Tools>; // the same functions, seen through the toolset's types
}

function toAttempt(result: CallToolResult): Attempt<unknown, string> {
  const first = result.content[0];
  const text = first?.type === 'text' ? first.text : '';
  if (!result.isError) return { ok: true, value: result.structuredContent, text };
  const given = result._meta?.[ERROR_CODE_META_KEY];
  const code = typeof given === 'string' ? given : 'unknown';
  return {
    ok: false,
    code,
    message: text.replace(/^Error: /, ''),
    data: result._meta?.[ERROR_DATA_META_KEY],
  };
}

function createClient(answers: Answers, era: 'modern' | 'legacy', name: string): Client {
  const client = new Client(
    { ...INFO, name },
    {
      capabilities: {
        ...(answers.ask && { elicitation: {} }),
        ...(answers.sample && { sampling: {} }),
        ...(answers.roots && { roots: {} }),
      },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  const { ask, sample, roots } = answers;
  if (ask !== undefined) {
    client.setRequestHandler('elicitation/create', (request) => {
      const content = ask(request.params.message);
      return content === undefined ? { action: 'decline' } : { action: 'accept', content };
    });
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', (request): CreateMessageResult => {
      const content = [request.params.messages.at(-1)?.content].flat()[0];
      const text = sample(content?.type === 'text' ? content.text : '');
      return { role: 'assistant', model: 'scripted', content: { type: 'text', text } };
    });
  }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  return client;
}

async function attach(
  client: Client,
  engine: Engine,
  caller: Caller,
  era: 'modern' | 'legacy',
): Promise<() => Promise<void>> {
  const server = (served: 'modern' | 'legacy', connection?: OpenConnection) => {
    const who = { caller, callerOf: () => caller, connection };
    return createProtocolServer({ engine, info: INFO, era: served, watched: new Set(), ...who });
  };
  if (era === 'legacy') {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const connection = new OpenConnection();
    const legacy = server('legacy', connection);
    await legacy.connect(withLegacyCodes(serverSide));
    await client.connect(clientSide);
    return async () => {
      await client.close();
      await legacy.close();
      await connection.end();
    };
  }
  const handler = createMcpHandler(() => server('modern'), { legacy: 'reject' });
  const url = new URL('http://parley.test/mcp');
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      fetch: (input, init) => handler.fetch(new Request(input, init)),
    }),
  );
  return async () => {
    await client.close();
    await handler.close();
  };
}
