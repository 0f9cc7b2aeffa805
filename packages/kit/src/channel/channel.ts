/** How a running tool reaches the person or model behind the call: questions, samples, roots, progress, logs. */
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitResult,
  Root,
} from '@modelcontextprotocol/server';
import { ProtocolFault, RPC } from '../call/errors.ts';

/** What the client said it can do; only the keys Parley looks at are named. */
export interface ClientCapabilities {
  readonly sampling?: Record<string, unknown> | undefined;
  readonly elicitation?: Record<string, unknown> | undefined;
  readonly roots?: Record<string, unknown> | undefined;
  readonly extensions?: Record<string, unknown> | undefined;
  readonly [key: string]: unknown;
}

/** A question to the client, in wire form. */
export type InputRequest =
  | { method: 'elicitation/create'; params: { message: string; requestedSchema: Record<string, unknown> } }
  | { method: 'sampling/createMessage'; params: CreateMessageRequest['params'] }
  | { method: 'roots/list' };

/** The client's answer, in wire form. */
export type InputResponse = ElicitResult | CreateMessageResult | { roots: Root[] };

/** MCP log levels, mildest first. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The channel between one running call and its client; each era and the task engine bring their own. */
export interface Interaction {
  readonly capabilities: ClientCapabilities;
  /** Resolves with the answer, or throws InputNeeded when the call has to be entered again with it. */
  request(key: string, request: InputRequest): Promise<InputResponse>;
  /** Runs `work` once per call, also when the call is entered again. */
  step<T>(key: string, work: () => Promise<T> | T, options?: StepOptions): Promise<T>;
  /** Waits; a task survives restarts meanwhile. Absent: the wait is held in this process. */
  sleep?(key: string, until: number | Date): Promise<void>;
  progress?(done: number, total?: number, message?: string): Promise<void>;
  log?(level: LogLevel, data: unknown): Promise<void>;
  /** Lets go of the client's stream while the work goes on; the client comes back for the result. */
  releaseStream?(): void;
}

/** How often a step of a task is tried, and how long one try may take. */
export interface StepOptions {
  readonly retry?: { readonly attempts?: number; readonly baseMs?: number; readonly capMs?: number };
  readonly timeoutMs?: number;
}

/** Thrown through a tool to leave it until it can go on; a tool lets it pass. */
export class Leave extends Error {
  override readonly name: string = 'Leave';
}

/** Left until the client has answered. */
export class InputNeeded extends Leave {
  override readonly name = 'InputNeeded';
}

const NEEDS: Record<InputRequest['method'], Record<string, unknown>> = {
  'elicitation/create': { elicitation: { form: {} } },
  'sampling/createMessage': { sampling: {} },
  'roots/list': { roots: {} },
};

/** True when the client declared what this request needs; a bare `elicitation` means forms. */
export function isSupported(capabilities: ClientCapabilities, method: InputRequest['method']): boolean {
  if (method === 'sampling/createMessage') return capabilities.sampling !== undefined;
  if (method === 'roots/list') return capabilities.roots !== undefined;
  const elicitation = capabilities.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The -32021 that answers a request whose client cannot be asked. */
export function missingCapability(key: string, request: InputRequest): ProtocolFault {
  return new ProtocolFault(
    RPC.missingCapability,
    `Cannot request input '${key}' (${request.method}): the request's client capabilities do not declare the required capability`,
    { requiredCapabilities: NEEDS[request.method] },
  );
}

/** An interaction for callers nobody can ask: the CLI without a terminal, schedules, tests. */
export function noInteraction(): Interaction {
  return {
    capabilities: {},
    request: (key, request) => Promise.reject(missingCapability(key, request)),
    step: async (_key, work) => work(),
  };
}
