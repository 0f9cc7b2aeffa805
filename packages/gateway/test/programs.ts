/** The bed for tests of programs: links in a folder of their own, targets and requests with nothing unusual in them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpstreamTarget } from '@parley/connections';
import type { ProgramScript } from '@parley/test-support/mcp-program';
import { mcpProgram } from '@parley/test-support/mcp-program';
import { expect, onTestFinished } from 'vitest';
import type { Link, LinkRequest } from '../src/upstream/link.ts';
import type { StdioLinks, StdioOptions } from '../src/upstream/stdio/stdio-links.ts';
import { createStdioLinks } from '../src/upstream/stdio/stdio-links.ts';

/** Times that no test has to wait for; what is slow on a busy machine stays long. */
const SHORT = { quietEndMs: 2_000, termMs: 100, backoffMs: 20, handshakeMs: 60_000, probeMs: 30_000 };

/** Links that end with the test, without a fault and without a process that is left over. */
export function startLinks(options: Partial<StdioOptions> = {}): StdioLinks & { readonly folder: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-programs-')));
  const faults: unknown[] = [];
  const links = createStdioLinks({
    programs: { environment: { PATH: '/usr/bin:/bin' }, folder, roots: [folder] },
    info: { name: 'parley', version: '0.0.0' },
    onFault: (error) => faults.push(error),
    ...options,
    times: { ...SHORT, ...options.times },
  });
  onTestFinished(async () => {
    await links.close();
    rmSync(folder, { recursive: true, force: true });
    expect(faults).toEqual([]);
  });
  return { ...links, folder };
}

export function targetOf(script: ProgramScript, changes: Partial<UpstreamTarget> = {}): UpstreamTarget {
  return {
    id: 'conn_test',
    organizationId: 'org_test',
    secrets: [],
    type: 'STDIO',
    url: null,
    token: null,
    headers: {},
    program: mcpProgram(script),
    principal: '',
    allow: [],
    era: null,
    maxResultBytes: 10 * 1024 * 1024,
    ...changes,
  };
}

export function requestOf(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  changes: Partial<LinkRequest> = {},
): LinkRequest {
  return {
    method: 'tools/call',
    params: { name, arguments: args },
    capabilities: {},
    signal: new AbortController().signal,
    limitMs: 60_000,
    ...changes,
  };
}

/** Calls a tool of the test program, and returns what its text says. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
export async function call(link: Link, ...given: Parameters<typeof requestOf>): Promise<any> {
  const { content } = (await link.request(requestOf(...given))) as { content: [{ text: string }] };
  return JSON.parse(content[0].text) as unknown;
}

/** The processes that run now with this id as their own or as that of their group; one that only has to be collected does not. */
export function running(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,pgid=,stat='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [own, group, state = 'Z'] = line.trim().split(/\s+/);
    return !state.startsWith('Z') && [own, group].includes(String(pid)) ? [Number(own)] : [];
  });
}
