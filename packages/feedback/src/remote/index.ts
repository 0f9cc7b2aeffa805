/** Feedback of another server over MCP: the same tools and resources, no store and no data folder. */
import type { Grants } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import type { BackendSource } from '../backend.ts';
import { feedbackResources } from '../resources.ts';
import { feedbackTools } from '../tools/index.ts';
import { FEEDBACK_INSTRUCTIONS } from '../tools/instructions.ts';
import { createRemoteClient } from './client.ts';
import { createDialect } from './dialect.ts';
import type { Redactor } from './redaction.ts';
import { createRedactor } from './redaction.ts';
import { createRemoteBackend } from './remote-backend.ts';
import type { RemoteLimits, Times } from './retry.ts';
import { REMOTE_LIMITS } from './retry.ts';
import type { RemoteTarget } from './settings.ts';
import { createTransport } from './transport.ts';

export { checkSettings } from './settings.ts';
export type { CheckedSettings, RemoteSettings, RemoteTarget } from './settings.ts';
export type { Redactor } from './redaction.ts';
export type { RemoteLimits, Times } from './retry.ts';

/** The same tools; all of them reach a server elsewhere. */
const remoteTools = feedbackTools.map((tool) => ({
  ...tool,
  external: true,
  // Each in its place, so the types are those of the list.
})) as unknown as typeof feedbackTools;

/** The toolset without services of its own. */
export const remoteFeedbackToolset = defineToolset({
  name: 'feedback',
  title: 'Feedback',
  instructions: FEEDBACK_INSTRUCTIONS,
  tools: remoteTools,
  resources: feedbackResources,
});

/** What the person who started the process may call: the everyday tools, or all of them. */
export function remoteGrants(isExtended: boolean): Grants {
  const tools = feedbackTools.filter((tool) => isExtended || tool.privileged === undefined);
  return { feedback: [...tools, ...feedbackResources].map(({ name }) => name) };
}

/** The other server, ready to be spoken to. */
export interface RemoteFeedback extends BackendSource {
  /** Takes the key out of every text that leaves. */
  readonly redactor: Redactor;
  close(): Promise<void>;
}

/** What a test may replace. */
export interface RemoteFeedbackOptions {
  readonly userAgent: string;
  readonly times?: Times;
  readonly limits?: Partial<RemoteLimits>;
}

/** Opens the way to another server; nothing is sent before the first call. */
export function createRemoteFeedback(target: RemoteTarget, options: RemoteFeedbackOptions): RemoteFeedback {
  const redactor = createRedactor(target.key);
  // The client's own limits end a request before this one does.
  const egress = createEgress({ limits: { totalTimeoutMs: REMOTE_LIMITS.totalMs } });
  const client = createRemoteClient({ ...options, target, transport: createTransport(egress, redactor) });
  const dialect = createDialect();
  return {
    redactor,
    backendFor: async ({ signal }) => createRemoteBackend(client, dialect, signal),
    close: () => egress.close(),
  };
}
