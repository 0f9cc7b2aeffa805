/** Upstream servers: tested, asked for their tools, and told things. */
import type { CallLimits, Upstream, UpstreamTarget } from '@parley/connections';
import { detach } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { Means, Work } from './conversation.ts';
import { failure } from './faults.ts';
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
  /** Remembers the secrets of a connection that is about to be used by another way. */
  keepSecrets(target: UpstreamTarget): void;
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
  const talk = async <T>(target: UpstreamTarget, work: Work<T>, limits: CallLimits = {}) => {
    if (target.type === 'STDIO' && allowed === undefined)
      return failure('disabled', 'This server starts no programs. Start it with --allow-stdio.');
    used.keep(target);
    // Loaded by the first conversation: a server without connections spares the memory of the SDK's client.
    const { converse } = await import('./conversation.ts');
    return converse(means, target, work, limits);
  };
  return {
    isStdioAllowed: allowed !== undefined,
    keepSecrets: (target) => used.keep(target),
    secretsOf: (organizationId, connectionId) => used.of(organizationId, connectionId),
    async test(target) {
      const outcome = await talk(target, async () => undefined, {
        limitMs: Math.min(means.answerMs[target.type], TEST_MS),
      });
      return outcome.ok ? { ok: true } : outcome;
    },
    async discover(target) {
      const outcome = await talk(target, listTools);
      return outcome.ok ? { ok: true, tools: outcome.value } : outcome;
    },
    async call(target, name, args, limits) {
      const { callTool } = await import('./tool-call.ts');
      const outcome = await talk(
        target,
        (client, request) => callTool(client, { name, arguments: args }, request),
        limits,
      );
      return outcome.ok ? { ok: true, ...outcome.value } : outcome;
    },
    async close() {
      // What fails has told so itself.
      await Promise.allSettled([...endings, programs.close()]);
    },
  };
}
