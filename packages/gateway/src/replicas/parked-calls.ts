/** Calls that wait for an answer on one replica while their client brings it to another: both ends of the way between them. */
import type { ServerResponse } from 'node:http';
import { detach, invalidState, ProtocolFault, ToolError } from '@parley/kit';
import type { LineReader as BodyReader } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import * as z from 'zod';
import { LineReader } from '../upstream/stdio/line-reader.ts';
import { signalOf } from '../http/signal-of.ts';
import type { ParkedElsewhere, ParkedOwner, Resuming } from '../upstream/parked.ts';
import type { Errands } from './forward.ts';
import { ReplicaLost } from './forward.ts';

/** Where replicas bring answers to; without a pass there is nothing here. */
export const PARKED_PATH = '/mcp/replicas/parked';

/** A result of the largest size with what is around it. */
const MOST_BYTES = 64 * 1024 * 1024;

type Result = Readonly<Record<string, unknown>>;

/** Goes on with a call that waits in this process; undefined: it does not. */
export type ResumeHere = (id: string, owner: ParkedOwner, call: Resuming) => Promise<Result | undefined>;

const broughtShape = z.object({
  id: z.string().max(200),
  owner: z.object({ organizationId: z.string(), callerId: z.string(), connectionId: z.string() }),
  answers: z.record(z.string(), z.unknown()),
  capabilities: z.record(z.string(), z.unknown()),
});

/** One line of the answer. */
const lineShape = z.union([
  z.object({ progress: z.tuple([z.number(), z.number().nullable(), z.string().nullable()]) }),
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ toolError: z.object({ code: z.string(), message: z.string(), data: z.unknown() }) }),
  z.object({ fault: z.object({ code: z.number(), message: z.string(), data: z.unknown() }) }),
  z.object({ lost: z.literal(true) }),
]);

type AnswerLine = z.infer<typeof lineShape>;

/** Brings answers to calls that wait elsewhere. Whatever comes between leaves their outcome unknown, and nothing is repeated. */
export function parkedElsewhere(send: Errands): ParkedElsewhere {
  return {
    async resume(replicaId, id, owner, call) {
      const { inputResponses: answers = {}, capabilities, signal } = call;
      let last: AnswerLine | undefined;
      const lines = new LineReader(MOST_BYTES, {
        onLine(text) {
          const line = lineShape.safeParse(JSON.parse(text)).data;
          if (line === undefined || !('progress' in line)) last = line;
          else tellProgress(call, line.progress);
        },
        onTooLong: () => undefined,
      });
      const reader: BodyReader = {
        read(chunk) {
          lines.take(Buffer.from(chunk));
          return false;
        },
      };
      try {
        const outcome = await send(replicaId, {
          method: 'POST',
          url: PARKED_PATH,
          headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
          body: JSON.stringify({ id, owner, answers, capabilities }),
          callerId: owner.callerId,
          signal,
          isPartOfOld: true,
          readerFor: () => reader,
        });
        if (outcome === 'gone') return undefined;
      } catch (error) {
        if (error instanceof EgressError || error instanceof ReplicaLost || error instanceof SyntaxError)
          return undefined;
        throw error;
      }
      if (last === undefined) return undefined;
      if ('toolError' in last)
        throw new ToolError(last.toolError.code, last.toolError.message, last.toolError.data);
      if ('fault' in last) throw new ProtocolFault(last.fault.code, last.fault.message, last.fault.data);
      return 'result' in last ? last.result : undefined;
    },
  };
}

/** Answers another replica that brings an answer; the pass was looked at, and is for this caller. */
export async function answerParked(
  res: ServerResponse,
  { body, callerId, resume }: { body: unknown; callerId: string; resume: ResumeHere | undefined },
): Promise<void> {
  const brought = broughtShape.safeParse(body).data;
  const write = (line: AnswerLine) => res.write(`${JSON.stringify(line)}\n`);
  const signal = signalOf(res);
  res.on('error', () => res.destroy());
  res.writeHead(200, { 'content-type': 'application/x-ndjson' });
  res.flushHeaders();
  try {
    if (brought === undefined || brought.owner.callerId !== callerId) throw invalidState();
    const result = await resume?.(brought.id, brought.owner, {
      inputResponses: brought.answers,
      capabilities: brought.capabilities,
      signal,
      async progress(done, total, message) {
        write({ progress: [done, total ?? null, message ?? null] });
      },
    });
    write(result === undefined ? { lost: true } : { result });
  } catch (error) {
    const line = lineOf(error);
    write(line ?? { lost: true });
    // A call that ended because its client left has failed nobody.
    if (line === undefined && !signal.aborted) throw error;
  } finally {
    res.end();
  }
}

function lineOf(error: unknown): AnswerLine | undefined {
  if (error instanceof ToolError) {
    const { code, message, data = null } = error;
    return { toolError: { code, message, data } };
  }
  if (error instanceof ProtocolFault) {
    const { code, message, data = null } = error;
    return { fault: { code, message, data } };
  }
  return undefined;
}

function tellProgress(call: Resuming, [done, total, message]: [number, number | null, string | null]): void {
  detach(
    () => call.progress(done, total ?? undefined, message ?? undefined),
    // A client that does not read it misses it, and nothing else.
    () => undefined,
  );
}
