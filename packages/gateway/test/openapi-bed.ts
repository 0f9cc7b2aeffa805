/** The bed of tests of OpenAPI connections: links over a real way out, a service that most share, and its clock. */
import type { ServerResponse } from 'node:http';
import type { UpstreamTarget } from '@parley/connections';
import { createEgress } from '@parley/kit/egress';
import type { OpenApiService, ServiceScript } from '@parley/test-support/openapi-service';
import { startOpenApiService } from '@parley/test-support/openapi-service';
import { afterAll, beforeEach, expect, onTestFinished } from 'vitest';
import type { LinkRequest } from '../src/upstream/link.ts';
import { UpstreamFault } from '../src/upstream/link.ts';
import { createOpenApiLinks } from '../src/upstream/openapi/openapi-links.ts';

/** Opens the bed for a file of tests. */
export async function openApiBed() {
  const egress = createEgress();
  const clock = { now: 1_800_000_000_000 };
  const links = createOpenApiLinks({ egress, now: () => clock.now });
  /** The service of most tests: one that is read once. */
  const pets = await startOpenApiService();
  beforeEach(() => {
    pets.seen.length = 0;
    pets.script.fault = undefined;
  });
  afterAll(async () => {
    await pets[Symbol.asyncDispose]();
    await links.close();
    await egress.close();
  });
  return {
    clock,
    links,
    pets,
    call: (
      target: UpstreamTarget,
      name: string,
      args: Record<string, unknown> = {},
      more: Partial<LinkRequest> = {},
    ) => links.of(target).request(asked('tools/call', { name, arguments: args }, more)),
    async toolsOf(target: UpstreamTarget): Promise<Map<string, Record<string, unknown>>> {
      const { tools } = await links.of(target).request(asked('tools/list', {}));
      return new Map((tools as { name: string }[]).map((tool) => [tool.name, tool]));
    },
  };
}

/** A service that ends with the test. */
export async function service(script: ServiceScript = {}): Promise<OpenApiService> {
  const running = await startOpenApiService(script);
  onTestFinished(() => running[Symbol.asyncDispose]());
  return running;
}

let connections = 0;

/** A new connection to a service. */
export function targetAt(
  { origin, host }: OpenApiService,
  changes: Partial<UpstreamTarget> = {},
): UpstreamTarget {
  connections += 1;
  return {
    id: `conn_${connections}`,
    organizationId: 'org_test',
    type: 'OPENAPI',
    url: `${origin}/openapi.json`,
    token: null,
    headers: {},
    program: null,
    secrets: [],
    principal: '',
    allow: [host],
    era: null,
    maxResultBytes: 1024 * 1024,
    ...changes,
  };
}

/** Answers what is no request for a document. */
export function answering(
  answer: (response: ServerResponse) => unknown,
): NonNullable<ServiceScript['fault']> {
  return ({ url }, response) => {
    if (!url.startsWith('/v1')) return false;
    answer(response);
    return true;
  };
}

/** A request of a client that can be asked nothing. */
export function asked(
  method: string,
  params: LinkRequest['params'],
  more: Partial<LinkRequest> = {},
): LinkRequest {
  const { signal } = new AbortController();
  return { method, params, capabilities: {}, signal, limitMs: 10_000, ...more };
}

/** The fault that work ends with; no client sees an address in it. */
export async function faultOf(work: Promise<unknown>): Promise<Partial<UpstreamFault>> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UpstreamFault);
  const { kind, message, wasSent, retryAfterMs, rpc } = error as UpstreamFault;
  expect(message).not.toContain('127.0.0.1');
  return { kind, message, wasSent, retryAfterMs, rpc };
}
