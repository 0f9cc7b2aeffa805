/** Links of a process with small limits, for tests: faults that nobody expected are seen at the end. */
import type { UpstreamTarget } from '@parley/connections';
import { createEgress } from '@parley/kit/egress';
import { expect, onTestFinished } from 'vitest';
import type { Link, LinkRequest, Links } from '../src/upstream/link.ts';
import { UpstreamFault } from '../src/upstream/link.ts';
import type { LinkOptions } from '../src/upstream/links.ts';
import { createLinks } from '../src/upstream/links.ts';

export function targetOf(url: string | null, changes: Partial<UpstreamTarget> = {}): UpstreamTarget {
  return {
    id: 'conn_test',
    organizationId: 'org_test',
    secrets: [],
    type: 'HTTP',
    url,
    token: null,
    headers: {},
    program: null,
    principal: '',
    allow: ['127.0.0.1'],
    era: null,
    maxResultBytes: 1024 * 1024,
    ...changes,
  };
}

/** A request that would do for most tests: the call of a tool. */
export function callOf(args: object = {}, changes: Partial<LinkRequest> = {}): LinkRequest {
  return {
    method: 'tools/call',
    params: { name: 'echo', arguments: args },
    capabilities: {},
    signal: new AbortController().signal,
    limitMs: 20_000,
    ...changes,
  };
}

export interface LinksBed {
  readonly links: Links;
  /** The link of a target with these changes. */
  link(url: string | null, changes?: Partial<UpstreamTarget>): Link;
  readonly eras: string[];
}

/** Ends with the test, which fails when anything was left unsaid. */
export function linksBed(options: Partial<LinkOptions> = {}): LinksBed {
  const egress = createEgress();
  const faults: unknown[] = [];
  const eras: string[] = [];
  const links = createLinks({
    egress,
    info: { name: 'parley', version: '0.0.0' },
    onFault: (error) => faults.push(error),
    onEra: (id, era) => eras.push(`${id} ${era}`),
    ...options,
    limits: { firstBackoffMs: 10, lastBackoffMs: 50, ...options.limits },
  });
  onTestFinished(async () => {
    await links.close();
    await egress.close();
    expect(faults).toEqual([]);
  });
  return { links, link: (url, changes) => links.of(targetOf(url, changes)), eras };
}

/** The fault that work ends with. */
export async function faultOf(work: Promise<unknown>): Promise<UpstreamFault> {
  const error = await work.then(
    (value) => new Error(`There was no fault, but ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof UpstreamFault) return error;
  throw error;
}
