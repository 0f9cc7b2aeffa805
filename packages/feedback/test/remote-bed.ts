/** A client in front of a scripted server, with a clock that jumps. */
import { connect } from '@parley/kit/testing';
import { onTestFinished } from 'vitest';
import type { RemoteLimits, Times } from '../src/remote/index.ts';
import {
  checkSettings,
  createRemoteFeedback,
  remoteFeedbackToolset,
  remoteGrants,
} from '../src/remote/index.ts';
import type { FakeTimes, Script, Step } from './scripted-server.ts';
import { fakeTimes, serveScript } from './scripted-server.ts';

/** A key as servers make them. */
export const KEY = 'qb_0123456789abcdef0123456789abcdef0123456789abcdef';

/** Something to make. */
export const NEW_POST = { boardId: 'board_01h455vb4pex5vsknk084sn02q', title: 'Dark mode' };

/** What the scripts answer with. */
export const POST = { id: 'post_01h455vb4pex5vsknk084sn02q', ...NEW_POST };

/** A page with that post. */
export const PAGE: Step = [
  200,
  { data: [POST], meta: { pagination: { cursor: null, hasMore: false, total: 1 } } },
];

/** Hangs up without an answer. */
export const cut: Step = (res) => res.destroy();

/** What a test may choose. */
export interface RemoteBedOptions {
  readonly times?: Times;
  readonly limits?: Partial<RemoteLimits>;
  readonly key?: string;
  readonly era?: 'modern' | 'legacy';
}

/** A script and the client in front of it. */
export interface RemoteBed extends Script {
  readonly times: FakeTimes;
  readonly client: Awaited<ReturnType<typeof attachRemote>>;
}

/** Connects a client to the server at an address until the test ends. */
export async function attachRemote(url: string, { key = KEY, era = 'modern', ...options }: RemoteBedOptions) {
  const checked = checkSettings({ url, apiKey: key });
  if ('fault' in checked) throw new Error(checked.fault);
  const feedback = createRemoteFeedback(checked.target, { userAgent: 'test', ...options });
  const client = await connect(remoteFeedbackToolset, {
    services: feedback,
    as: { grants: remoteGrants(true) },
    era,
  });
  onTestFinished(async () => {
    await client.close();
    await feedback.close();
  });
  return client;
}

/** Serves the steps and connects a client to them. */
export async function openRemote(
  steps: readonly Step[],
  {
    times = fakeTimes(),
    path = '',
    ...options
  }: RemoteBedOptions & { readonly times?: FakeTimes; readonly path?: string } = {},
): Promise<RemoteBed> {
  const script = await serveScript(steps);
  return { ...script, times, client: await attachRemote(script.origin + path, { times, ...options }) };
}
