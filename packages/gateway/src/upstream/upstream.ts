/** Upstream servers: tested, asked for their tools, and told things. */
import type { CallLimits, Upstream, UpstreamFailure, UpstreamTarget } from '@parley/connections';
import { detach } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { Asked } from './asking.ts';
import { askedOver, withinTime } from './asking.ts';
import { failureOf } from './failure.ts';
import { failure } from './faults.ts';
import { ANSWER_MS, TEST_MS } from './limits.ts';
import type { Links } from './link.ts';
import { createLinks } from './links.ts';
import type { ProgramOptions } from './stdio/programs.ts';
import { createPrograms } from './stdio/programs.ts';
import { callTool } from './tool-call.ts';
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
  readonly answerMs?: Readonly<Record<UpstreamTarget['type'], number>>;
}

/** The client of upstream servers, and how it ends. */
export interface UpstreamClient extends Upstream {
  /** Remembers the secrets of a connection that is about to be used by another way. */
  keepSecrets(target: UpstreamTarget): void;
  /** The secrets of a connection that this process has used. */
  secretsOf(organizationId: string, connectionId: string): readonly string[];
  close(): Promise<void>;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | UpstreamFailure;

export function createUpstream(options: UpstreamOptions): UpstreamClient {
  const { egress, info, programs: allowed, onFault, answerMs = ANSWER_MS } = options;
  const programs = createPrograms(allowed);
  const endings = new Set<Promise<void>>();
  const used = new UsedSecrets();
  const links = createLinks({ egress, info, onFault });
  const ending = (work: Promise<void>) => {
    endings.add(work);
    detach(
      work.finally(() => endings.delete(work)),
      (error) => onFault(error, 'upstream'),
    );
  };

  /** Does work with an upstream; whatever fails becomes a failure that can be shown. */
  const converse = async <T>(
    target: UpstreamTarget,
    work: (asked: Asked) => Promise<T>,
    { limits = {}, over = links }: { limits?: CallLimits; over?: Links } = {},
  ): Promise<Outcome<T>> => {
    if (target.type === 'STDIO' && allowed === undefined)
      return failure('disabled', 'This server starts no programs. Start it with --allow-stdio.');
    used.keep(target);
    const limitMs = limits.limitMs ?? answerMs[target.type];
    try {
      const value = await withinTime({ ...limits, limitMs }, async (signal) => {
        if (target.type !== 'STDIO') return work(askedOver(over.of(target), signal, limitMs));
        // Loaded by the first program: a server without any spares the memory of the SDK's client.
        const { withProgram } = await import('./program-talk.ts');
        return withProgram({ programs, info, ending }, target, { signal, limitMs }, work);
      });
      return { ok: true, value };
    } catch (error) {
      return failureOf(error);
    }
  };

  return {
    isStdioAllowed: allowed !== undefined,
    keepSecrets: (target) => used.keep(target),
    secretsOf: (organizationId, connectionId) => used.of(organizationId, connectionId),
    async test(target) {
      // What is known from before proves nothing about now.
      const over = createLinks({ egress, info, onFault });
      const limits = { limitMs: Math.min(answerMs[target.type], TEST_MS) };
      const outcome = await converse({ ...target, era: null }, (asked) => asked.capabilities(), {
        limits,
        over,
      });
      ending(over.close());
      return outcome.ok ? { ok: true } : outcome;
    },
    async discover(target) {
      const outcome = await converse(target, listTools);
      return outcome.ok ? { ok: true, tools: outcome.value } : outcome;
    },
    async call(target, name, args, limits = {}) {
      const outcome = await converse(target, (asked) => callTool(asked, { name, arguments: args }), {
        limits,
      });
      return outcome.ok ? { ok: true, ...outcome.value } : outcome;
    },
    async close() {
      // What fails has told so itself.
      await Promise.allSettled([...endings, links.close(), programs.close()]);
    },
  };
}
