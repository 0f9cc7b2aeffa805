/** Upstreams behind the seam of links: a test decides what each answers, asks and tells, in either era. */
import type { ServedConnection, ServedTool, UpstreamTarget } from '@parley/connections';
import type { Link, LinkNotice, LinkRequest, Links } from '../src/upstream/link.ts';
import { createConnectionGateway } from '../src/upstream/connection-gateway.ts';
import type { ConnectionGateway, ConnectionGatewayOptions } from '../src/upstream/connection-gateway.ts';

type Result = Readonly<Record<string, unknown>>;

/** Answers one request of an upstream. */
export type Answering = (request: LinkRequest, target: UpstreamTarget) => Promise<Result> | Result;

/** A watch that is open. */
export interface OpenWatch {
  readonly connectionId: string;
  readonly principal: string;
  uris: ReadonlySet<string>;
  tell(notice: LinkNotice): void;
}

/** All upstreams of a test. */
export interface Bed extends AsyncDisposable {
  readonly gateway: ConnectionGateway;
  /** Every request that reached an upstream. */
  readonly sent: LinkRequest[];
  readonly watches: OpenWatch[];
  /** Connections whose lists were said to be others. */
  readonly announced: string[];
  readonly forgotten: string[];
  readonly faults: unknown[];
  /** What upstreams answer. */
  answer: Answering;
  /** Gives an organization these connections, and tells so. */
  give(organizationId: string, ...connections: readonly ServedConnection[]): void;
}

export const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** A tool as it is served. */
export function servedTool(
  name: string,
  more: Partial<ServedTool['definition']> = {},
  state: ServedTool['state'] = 'approved',
): ServedTool {
  const definition = { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more };
  return { definition, hash: JSON.stringify(definition), state };
}

/** A connection as it is served. */
export function served(id: string, more: Partial<ServedConnection> = {}): ServedConnection {
  const connection = {
    id,
    organizationId: 'org_test',
    title: `Title of ${id}`,
    type: 'HTTP' as const,
    revision: 1,
    status: 'active' as const,
    settings: {},
    era: 'modern' as const,
    instructions: null,
    capabilities: { tools: {} },
    tools: [servedTool('work')],
    resources: [],
    templates: [],
    prompts: [],
    skills: [],
    isKnown: true,
    degraded: null,
    ...more,
  };
  return { version: JSON.stringify(connection), ...connection };
}

export function startBed(options: Partial<ConnectionGatewayOptions> = {}): Bed {
  const stored = new Map<string, readonly ServedConnection[]>();
  const listeners = new Set<(organizationId: string | undefined) => void>();
  const faults: unknown[] = [];
  const announced: string[] = [];
  const forgotten: string[] = [];
  const watches: OpenWatch[] = [];
  const sent: LinkRequest[] = [];
  const linkOf = (target: UpstreamTarget): Link => ({
    facts: () => Promise.reject(new Error('No test asks for it.')),
    async request(request) {
      sent.push(request);
      return bed.answer(request, target);
    },
    async watch(on, first) {
      const open: OpenWatch = {
        connectionId: target.id,
        principal: target.principal,
        uris: new Set(first),
        tell: on,
      };
      watches.push(open);
      return {
        async setUris(uris) {
          open.uris = uris;
        },
        async close() {
          watches.splice(watches.indexOf(open), 1);
        },
      };
    },
  });
  const links: Links = {
    of: linkOf,
    async forget(connectionId) {
      forgotten.push(connectionId);
    },
    async close() {},
  };
  const gateway = createConnectionGateway({
    links,
    load: async (organizationId) => stored.get(organizationId) ?? [],
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    credentials: (_caller, connection) => ({ target: targetOf(connection) }),
    announce: ({ id }) => announced.push(id),
    onFault: (error) => faults.push(error),
    ...options,
  });
  const bed: Bed = {
    gateway,
    sent,
    watches,
    announced,
    forgotten,
    faults,
    answer: () => text('done'),
    give(organizationId, ...connections) {
      stored.set(organizationId, connections);
      for (const listener of listeners) listener(organizationId);
    },
    [Symbol.asyncDispose]: () => gateway.close(),
  };
  return bed;
}

/** Where a connection leads, with one secret. */
export function targetOf({ id, organizationId }: ServedConnection): UpstreamTarget {
  return {
    id,
    organizationId,
    type: 'HTTP',
    url: 'http://127.0.0.1:1/mcp',
    token: 'upstream-secret-1',
    headers: {},
    program: null,
    secrets: ['upstream-secret-1'],
    principal: '',
    allow: [],
    era: null,
    maxResultBytes: 1024 * 1024,
  };
}
