/** Requests that another replica took in and sent here: they were let in there, and their pass stands for their caller. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpRefusal, readJson } from '@parley/http';
import { RPC } from '@parley/kit';
import type { Dispatch } from '../http/dispatch.ts';
import type { EndpointOf } from '../http/endpoint.ts';
import type { Limits } from '../limits.ts';
import { sessionNotFound } from './forward.ts';
import type { ResumeHere } from './parked-calls.ts';
import { answerParked, PARKED_PATH } from './parked-calls.ts';
import type { Claims } from './pass.ts';
import { digestOf } from './pass.ts';

/** Answers such a request. */
export type Arrivals = (req: IncomingMessage, res: ServerResponse, claims: Claims) => Promise<void>;

export interface ArrivalParts {
  readonly limits: Limits;
  readonly endpointOf: EndpointOf;
  readonly dispatch: Pick<Dispatch, 'passed'>;
  readonly resumeParked: ResumeHere | undefined;
}

export function createArrivals({ limits, endpointOf, dispatch, resumeParked }: ArrivalParts): Arrivals {
  // What a replica sends has been within the limits, and may have something around it now.
  const wider = { ...limits, bodyBytes: 2 * limits.bodyBytes, jsonDepth: limits.jsonDepth + 4 };

  return async (req, res, { callerId, digest }) => {
    const body = req.method === 'POST' ? await readJson(req, wider) : undefined;
    // Replicas send what they parsed, written anew, so that it can be compared without its first bytes.
    if (digestOf(body === undefined ? '' : JSON.stringify(body)) !== digest) throw sessionNotFound();
    const [path = '', query] = (req.url ?? '').split('?', 2);
    if (path === PARKED_PATH) return answerParked(res, { body, callerId, resume: resumeParked });
    await dispatch.passed(req, res, {
      callerId,
      body,
      async engineFor(caller) {
        const engine = await endpointOf(path, caller, query);
        if (engine !== undefined) return engine;
        throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: RPC.methodNotFound });
      },
    });
  };
}
