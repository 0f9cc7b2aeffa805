/** Requests to GitHub by octokit, whose only way out is the egress guard. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Octokit } from '@octokit/core';
import type { Egress } from '@parley/kit/egress';
import type { OperatorBase } from '../outbound.ts';
import { ask } from '../outbound.ts';
import { githubFault, mayPass } from './faults.ts';

export interface GitHubOptions {
  readonly egress: Egress;
  readonly base: OperatorBase;
  readonly token: string;
  readonly now: () => number;
  /** How long to wait before each further try of a read. */
  readonly retryDelaysMs?: readonly number[];
}

type Parameters = Readonly<Record<string, unknown>>;

/** One request by its route, such as `GET /repos/{owner}/{repo}`; the parts of the path are encoded. */
export interface GitHubClient {
  read(route: `GET ${string}`, parameters: Parameters, signal: AbortSignal): Promise<unknown>;
  write(
    route: `${'PUT' | 'POST' | 'DELETE'} ${string}`,
    parameters: Parameters,
    signal: AbortSignal,
  ): Promise<{ readonly data: unknown; readonly date: number | undefined }>;
}

const RETRY_DELAYS_MS = [300, 1200];
const BODILESS = new Set([204, 205, 304]);
const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function createGitHubClient(options: GitHubOptions): GitHubClient {
  const { now, retryDelaysMs = RETRY_DELAYS_MS } = options;
  let made: Promise<Octokit> | undefined;
  const request = async (route: string, parameters: Parameters, signal: AbortSignal) => {
    // Loaded by the first request: a server whose agents ask nothing of GitHub spares its memory.
    const octokit = await (made ??= load(options));
    try {
      return await octokit.request(route, { ...parameters, request: { signal } });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
  return {
    async read(route, parameters, signal) {
      for (let tries = 0; ; tries += 1) {
        try {
          const { data } = await request(route, parameters, signal);
          return data;
        } catch (error) {
          signal.throwIfAborted();
          const waitMs = retryDelaysMs[tries];
          if (waitMs === undefined || !mayPass(error)) throw githubFault(error, now());
          await delay(waitMs, undefined, { signal });
        }
      }
    },
    async write(route, parameters, signal) {
      try {
        const { data, headers } = await request(route, parameters, signal);
        const date = Date.parse(headers['date'] ?? '');
        return { data, date: Number.isNaN(date) ? undefined : date };
      } catch (error) {
        signal.throwIfAborted();
        throw githubFault(error, now());
      }
    },
  };
}

async function load({ egress, base, token }: GitHubOptions): Promise<Octokit> {
  const core = await import('@octokit/core');
  const baseUrl = base.url.href.replace(/\/$/, '');
  return new core.Octokit({
    auth: token,
    baseUrl,
    log: QUIET,
    request: { fetch: guardedFetch(egress, base.allow) },
  });
}

/** The part of fetch that octokit uses. */
interface FetchInit {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

function guardedFetch(egress: Egress, allow: readonly string[]) {
  return async (url: string, { method, headers, body, signal }: FetchInit): Promise<Response> => {
    const { bytes, status, ...answered } = await ask(egress, url, { method, headers, body, signal, allow });
    return new Response(BODILESS.has(status) ? null : Buffer.from(bytes), {
      status,
      headers: answered.headers,
    });
  };
}

function ignore(): void {
  // What octokit has to say concerns nobody.
}
