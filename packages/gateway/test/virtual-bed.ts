/** Virtual MCPs behind a real server: connections whose upstreams are a script, and the services that put them together. */
import type {
  ConnectionTables,
  VirtualMcp,
  VirtualMcpCreate,
  VirtualMcps,
  VirtualTools,
} from '@parley/connections';
import type { PromptMessage } from '@modelcontextprotocol/server';
import { connectionMigrations, createVirtualMcps, createVirtualTools } from '@parley/connections';
import type { AnyToolset, Caller, Installed, OutsideCall, OutsideTool, ToolAnswer } from '@parley/kit';
import { defineOutsidePrompt, defineOutsideResource, defineOutsideTool, defineToolset } from '@parley/kit';
import type { ScriptedSource } from '@parley/kit/testing';
import { scriptedSource } from '@parley/kit/testing';
import type { Answer, Envelope } from '@parley/test-support/wire';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import {
  createKeptResults,
  createSandbox,
  createSchemaChecks,
  createVirtualMcpEngines,
} from '../src/index.ts';
import type { ConnectionGateway, Sandbox, SchemaChecks, VirtualMcpEngines } from '../src/index.ts';
import type { TestGateway } from './start-gateway.ts';
import { startGateway } from './start-gateway.ts';

/** A tool of a scripted upstream; what is left out is plain. */
export interface UpstreamTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown>;
  readonly annotations?: Record<string, unknown>;
  readonly _meta?: Record<string, unknown>;
  readonly unlisted?: boolean;
  answer?(args: Record<string, unknown>, call: OutsideCall): Promise<ToolAnswer> | ToolAnswer;
}

/** What a scripted upstream has. */
export interface UpstreamScript {
  readonly id: string;
  readonly title?: string;
  readonly tools?: readonly (UpstreamTool | string)[];
  /** URIs, or templates with `{variables}`. */
  readonly resources?: readonly string[];
  readonly prompts?: readonly string[];
  /** URIs that its prompts and its documents name besides. */
  readonly links?: readonly string[];
}

/** What reached an upstream. */
export interface UpstreamCall {
  readonly connection: string;
  readonly what: string;
  readonly args: unknown;
}

export interface VirtualBed extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly owner: Caller;
  readonly virtualMcps: VirtualMcps;
  readonly virtualTools: VirtualTools;
  readonly members: ScriptedSource;
  readonly virtual: VirtualMcpEngines;
  readonly sandbox: Sandbox;
  readonly checks: SchemaChecks;
  /** What reached upstreams, in order. */
  readonly calls: UpstreamCall[];
  readonly clock: { nowMs: number };
  /** Stores connections once, and serves exactly these from now on. */
  serve(...scripts: readonly UpstreamScript[]): Promise<void>;
  /** Stores a connection that is served otherwise. */
  store(id: string, title: string): Promise<void>;
  /** Makes a virtual MCP. */
  made(data: Partial<VirtualMcpCreate>): Promise<VirtualMcp>;
  /** Sends a message to it as the owner, or with another key. */
  send(place: Place, method: string, params?: Record<string, unknown>): Promise<Answer>;
  call(place: Place, name: string, args?: Record<string, unknown>, envelope?: Envelope): Promise<Answer>;
  /** The names of its tools. */
  names(place: Place): Promise<string[]>;
}

/** Where a message goes. */
export interface Place {
  readonly id: string;
  /** The query, with its question mark. */
  readonly query?: string;
  readonly key?: string;
  /** Another path than that of the virtual MCP. */
  readonly path?: string;
}

/** What a test may bring. */
export interface VirtualBedOptions {
  /** Stands for the management tools. */
  readonly self?: Installed;
  /** Connections that are served besides the scripted ones. */
  readonly connections?: ConnectionGateway;
}

/** Starts it. */
export async function startVirtualBed({ self, connections }: VirtualBedOptions = {}): Promise<VirtualBed> {
  const members = scriptedSource('scripted');
  const clock = { nowMs: Date.UTC(2026, 10, 1) };
  const sandbox = createSandbox();
  const checks = createSchemaChecks();
  const calls: UpstreamCall[] = [];
  let virtual: VirtualMcpEngines | undefined;
  const gateway = await startGateway({
    sources: [members],
    ...(connections !== undefined && { connections }),
    migrations: [connectionMigrations],
    longResults: (parts) => createKeptResults({ ...parts, now: () => clock.nowMs }),
    virtual(parts) {
      const results = createKeptResults({ ...parts, now: () => clock.nowMs });
      const made = {
        ...parts,
        members: () => [members, ...(connections === undefined ? [] : [connections.source])],
        self: () => self,
        sandbox,
        results,
        checks,
      };
      return (virtual = createVirtualMcpEngines(made));
    },
  });
  if (virtual === undefined) throw new Error('The server was started without virtual MCPs.');
  const { store, owner, identity, port, ownerKey } = gateway;
  const base = {
    store,
    events: { publish: async () => undefined, subscribers: { forget: async () => undefined } },
    audit: identity.audit,
    checkCode: (code: string) => sandbox.checkCode(code),
    now: () => clock.nowMs,
    // Nothing else of it is used for virtual MCPs and their tools.
  } as unknown as Parameters<typeof createVirtualMcps>[0];
  const virtualMcps = createVirtualMcps(base);
  const send: VirtualBed['send'] = ({ id, query = '', key = ownerKey, path }, method, params) =>
    sendModern({ port, key, path: path ?? `/mcp/virtual-mcp/${id}${query}` }, modern(method, params));
  return {
    gateway,
    owner,
    virtualMcps,
    virtualTools: createVirtualTools(base),
    members,
    virtual,
    sandbox,
    checks,
    calls,
    clock,
    async serve(...scripts) {
      for (const script of scripts) await storeConnection(gateway, script);
      members.give(owner.organizationId, ...scripts.map((script) => toolsetOf(script, calls)));
    },
    store: (id, title) => storeConnection(gateway, { id, title }),
    made: (data) => virtualMcps.create(owner, { title: 'Bundle', connections: [], ...data }),
    send,
    call: ({ id, query = '', key = ownerKey, path }, name, args = {}, envelope = {}) =>
      sendModern(
        { port, key, path: path ?? `/mcp/virtual-mcp/${id}${query}` },
        modernCall(name, args, envelope),
      ),
    async names(place) {
      const { json } = await send(place, 'tools/list');
      return (json.result.tools as { name: string }[]).map(({ name }) => name);
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await sandbox.close();
      await checks.close();
    },
  };
}

async function storeConnection({ store, owner }: TestGateway, { id, title = id }: UpstreamScript) {
  const now = Date.now();
  await store
    .db<ConnectionTables>()
    .insertInto('connections')
    .values({
      id,
      organization_id: owner.organizationId,
      title,
      connection_type: 'HTTP',
      has_connection_token: 0,
      status: 'active',
      catalog: '{}',
      is_virtual_mcp: 0,
      revision: 0,
      created_at: now,
      updated_at: now,
      created_by: 'test',
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ title }))
    .execute();
}

function toolsetOf(script: UpstreamScript, calls: UpstreamCall[]): AnyToolset {
  const { id, title = id, tools = [], resources = [], prompts = [], links = [] } = script;
  return defineToolset({
    name: id,
    title,
    tools: tools.map((tool) => toolOf(id, typeof tool === 'string' ? { name: tool } : tool, calls)),
    resources: resources.map((uri) =>
      defineOutsideResource({
        definition: uri.includes('{') ? { name: uri, uriTemplate: uri } : { name: uri, uri },
        async read(asked) {
          calls.push({ connection: id, what: 'read', args: asked });
          const more = links.map((link) => ({ uri: link, text: `beside ${asked}` }));
          return { contents: [{ uri: asked, text: `${asked} of ${id}` }, ...more] };
        },
      }),
    ),
    prompts: prompts.map((name) =>
      defineOutsidePrompt({
        definition: { name },
        async get() {
          const content = { type: 'text' as const, text: `${name} of ${id}` };
          const messages: PromptMessage[] = [{ role: 'user', content }];
          for (const uri of links) {
            const link = { type: 'resource_link' as const, uri, name: uri };
            const embedded = { type: 'resource' as const, resource: { uri, text: uri } };
            messages.push({ role: 'user', content: link }, { role: 'user', content: embedded });
          }
          return { messages };
        },
      }),
    ),
  });
}

function toolOf(connection: string, tool: UpstreamTool, calls: UpstreamCall[]): OutsideTool {
  const { answer, unlisted, ...given } = tool;
  const { name, description = `Does ${name}.`, inputSchema = { type: 'object' } } = given;
  return defineOutsideTool({
    name,
    title: name,
    description,
    effect: tool.annotations?.readOnlyHint === true ? 'read' : 'run',
    external: true,
    ...(unlisted !== undefined && { unlisted }),
    definition: { ...given, description, inputSchema: { ...inputSchema, type: 'object' } },
    inputSchema,
    ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
    async call(args, call) {
      calls.push({ connection, what: name, args });
      return (
        (await answer?.(args, call)) ?? { content: [{ type: 'text', text: `${name} of ${connection}` }] }
      );
    },
  });
}
