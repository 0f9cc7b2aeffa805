/** Upstream servers: tested, asked for their tools, and told things. */
import type { Upstream, UpstreamTarget } from '@parley/connections';
import { detach } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { Means, Work } from './conversation.ts';
import { BadUpstream, failure } from './faults.ts';
import { ANSWER_MS, TEST_MS } from './limits.ts';
import type { ProgramOptions } from './stdio/programs.ts';
import { createPrograms } from './stdio/programs.ts';
import { listTools } from './tool-list.ts';
import { UsedSecrets } from './used-secrets.ts';

export interface UpstreamOptions {
  /** The way out; the caller closes it. */
  readonly egress: Egress;
  readonly info: { readonly name: string; readonly version: string };
  /** Absent: no program is ever started. */
  readonly programs?: ProgramOptions | undefined;
  readonly onFault: (error: unknown, where: string) => void;
  /** The time that an upstream has, by type; tests have less. */
  readonly answerMs?: Means['answerMs'];
}

/** The client of upstream servers, and how it ends. */
export interface UpstreamClient extends Upstream {
  /** The secrets of a connection that this process has used. */
  secretsOf(organizationId: string, connectionId: string): readonly string[];
  close(): Promise<void>;
}

export function createUpstream(options: UpstreamOptions): UpstreamClient {
  const { egress, info, programs: allowed, onFault } = options;
  const programs = createPrograms(allowed);
  const endings = new Set<Promise<void>>();
  const used = new UsedSecrets();
  const means: Means = {
    egress,
    info,
    programs,
    answerMs: options.answerMs ?? ANSWER_MS,
    ending(work) {
      endings.add(work);
      detach(
        work.finally(() => endings.delete(work)),
        (error) => onFault(error, 'upstream'),
      );
    },
  };
  const talk = async <T>(target: UpstreamTarget, work: Work<T>, mostMs = Infinity) => {
    if (target.type === 'STDIO' && allowed === undefined)
      return failure('disabled', 'This server starts no programs. Start it with --allow-stdio.');
    used.keep(target);
    // Loaded by the first conversation: a server without connections spares the memory of the SDK's client.
    const { converse } = await import('./conversation.ts');
    return converse(means, target, work, Math.min(means.answerMs[target.type], mostMs));
  };
  return {
    isStdioAllowed: allowed !== undefined,
    secretsOf: (organizationId, connectionId) => used.of(organizationId, connectionId),
    async test(target) {
      const outcome = await talk(target, async () => undefined, TEST_MS);
      return outcome.ok ? { ok: true } : outcome;
    },
    async discover(target) {
      const outcome = await talk(target, listTools);
      return outcome.ok ? { ok: true, tools: outcome.value } : outcome;
    },
    async notify(target, name, args) {
      const outcome = await talk(target, async (client, request) => {
        const result = await client.callTool({ name, arguments: args }, request);
        if (result.isError === true) throw new BadUpstream(`The tool ${name} of the server failed.`);
      });
      return outcome.ok ? { ok: true } : outcome;
    },
    async close() {
      // What fails has told so itself.
      await Promise.allSettled([...endings, programs.close()]);
    },
  };
}
