/** Upstream servers: tested, and asked for all that they have. */
import type { CallLimits, Upstream, UpstreamFailure, UpstreamTarget } from '@parley/connections';
import type { RequestInfo } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { askedOver, withinTime } from './asking.ts';
import { CarriedSecrets } from './carried-secrets.ts';
import { failureOf } from './failure.ts';
import { failure } from './faults.ts';
import { ANSWER_MS, TEST_MS } from './limits.ts';
import type { Link, Links } from './link.ts';
import { LinkForgotten } from './link.ts';
import { createLateLinks } from './late-links.ts';
import type { ProgramOptions } from './stdio/allowed-start.ts';
import { mayStart } from './stdio/allowed-start.ts';
import type { ForeignSecrets } from './secret-marks.ts';
import { SecretMarks } from './secret-marks.ts';

export interface UpstreamOptions {
  /** The way out; the caller closes it. */
  readonly egress: Egress;
  readonly info: { readonly name: string; readonly version: string };
  /** Absent: no program is ever started. */
  readonly programs?: ProgramOptions | undefined;
  /** The links of this process, which the caller closes. Absent: links of its own. */
  readonly links?: Links | undefined;
  readonly onFault: (error: unknown, where: string) => void;
  /** The same target with a token that is not over; absent: tokens are taken as they are. */
  readonly freshened?: (target: UpstreamTarget) => Promise<UpstreamTarget>;
  /** The time that an upstream has, by type; tests have less. */
  readonly answerMs?: Readonly<Record<UpstreamTarget['type'], number>>;
}

/** The client of upstream servers, and how it ends. It calls no tool: that is for the stages of a call alone. */
export interface UpstreamClient extends Omit<Upstream, 'call'> {
  /** Whether a server lists a tool of this name; true also when it cannot be asked. */
  lists(target: UpstreamTarget, tool: string): Promise<boolean>;
  /** Remembers the secrets of a connection that is about to be used by another way. */
  keepSecrets(target: UpstreamTarget): void;
  /** The secrets of others in the organization that this process has used; undefined: there are none. */
  foreignTo(target: UpstreamTarget): ForeignSecrets | undefined;
  /** Remembers the secrets that a call carries, for as long as its request is known. */
  carries(request: RequestInfo, secrets: readonly string[]): void;
  /** What is kept of a call has to be without these. */
  secretsOf(organizationId: string, request: RequestInfo): SecretsOfCall;
  close(): Promise<void>;
}

export interface SecretsOfCall {
  /** Those that it carried, also what its client brought along. */
  readonly texts: readonly string[];
  /** Those of its organization that this process has used; undefined: there are none. */
  readonly marked: ForeignSecrets | undefined;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | UpstreamFailure;

interface Talk {
  readonly link: Link;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

export function createUpstream(options: UpstreamOptions): UpstreamClient {
  const { egress, info, programs, onFault, freshened = async (target) => target } = options;
  const { answerMs = ANSWER_MS } = options;
  const endings = new Set<Promise<void>>();
  const carried = new CarriedSecrets();
  const marks = new SecretMarks();
  const links = options.links ?? createLateLinks({ egress, info, onFault, programs });
  const ending = (work: Promise<void>) => {
    endings.add(work);
    detach(
      work.finally(() => endings.delete(work)),
      (error) => onFault(error, 'upstream'),
    );
  };

  /** Does work with an upstream; whatever fails becomes a failure that can be shown. */
  const converse = async <T>(
    given: UpstreamTarget,
    work: (talk: Talk) => Promise<T>,
    { limits = {}, over = links }: { limits?: CallLimits; over?: Links } = {},
  ): Promise<Outcome<T>> => {
    const target = await freshened(given);
    if (target.type === 'STDIO' && !mayStart(programs, target.program ?? {}))
      return failure('disabled', 'This server starts no programs. Start it with --allow-stdio.');
    marks.keep(target);
    const limitMs = limits.limitMs ?? answerMs[target.type];
    try {
      const value = await withinTime({ ...limits, limitMs }, (signal) =>
        work({ link: over.of(target), signal, limitMs }),
      );
      return { ok: true, value };
    } catch (error) {
      return failureOf(error);
    }
  };

  return {
    isStdioAllowed: mayStart(programs, {}),
    commands: programs?.commands,
    keepSecrets: (target) => marks.keep(target),
    foreignTo: (target) => marks.foreignTo(target),
    carries: (request, secrets) => carried.add(request, secrets),
    secretsOf: (organizationId, request) => ({
      texts: carried.of(request),
      marked: marks.of(organizationId),
    }),
    async test(target) {
      // What is known from before proves nothing about now; a program that runs is asked as it is.
      const isRemote = target.type === 'HTTP' || target.type === 'SSE';
      const over = isRemote ? createLateLinks({ egress, info, onFault }) : links;
      const limits = { limitMs: Math.min(answerMs[target.type], TEST_MS) };
      const asked = { ...target, era: null };
      const outcome = await converse(asked, ({ link, signal }) => link.facts(signal), { limits, over });
      if (over !== links) ending(over.close());
      return outcome.ok ? { ok: true } : outcome;
    },
    async discover(target, leadsThere = async () => true) {
      const { discover } = await import('./discovery/discover.ts');
      const outcome = await converse(target, async ({ link, signal, limitMs }) => {
        // Looked at after the link was made: what is switched off from then on ends the link.
        const read = async (over: Link) => {
          if (!(await leadsThere())) throw new LinkForgotten();
          return discover(over, signal, { limitMs, isTranslated: target.type === 'OPENAPI' });
        };
        // Whoever has just changed a connection asks it while others hear of the change and let go of the old one.
        return read(link).catch((error: unknown) => {
          if (!(error instanceof LinkForgotten)) throw error;
          return read(links.of(target));
        });
      });
      return outcome.ok ? { ok: true, ...outcome.value } : outcome;
    },
    async lists(target, name) {
      const { listTools } = await import('./tool-list.ts');
      const outcome = await converse(target, ({ link, signal, limitMs }) =>
        listTools(askedOver(link, signal, limitMs)),
      );
      // One that cannot be asked says nothing about its tools.
      return !outcome.ok || outcome.value.some((tool) => tool.name === name);
    },
    async close() {
      // What fails has told so itself.
      const own = options.links === undefined ? links : undefined;
      await Promise.allSettled([...endings, own?.close()]);
    },
  };
}
