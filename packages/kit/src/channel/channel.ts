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

/** What a call was left with, for the round that follows. */
export interface Pending {
  readonly requests: Readonly<Record<string, InputRequest>>;
  /** What the client brings back, sealed. */
  readonly state: string;
}

/** The channel between one running call and its client; each era and the task engine bring their own. */
export interface Channel {
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
  /** Asks once more after an answer that does not fit. Absent: an answer is final. */
  askAgain?(key: string, request: InputRequest): never;
  /** What the call was left with. Absent: this channel waits for answers, and no call is left. */
  left?(): Pending | undefined;
  /** The task that an earlier round of the call has made. */
  readonly taskId?: string | undefined;
  /** How often the call has been answered with a question. */
  readonly rounds?: number;
  /** The progress that earlier rounds have told. */
  readonly told?: number | undefined;
}

/** How often a step of a task is tried, and how long one try may take. */
export interface StepOptions {
  readonly retry?: { readonly attempts?: number; readonly baseMs?: number; readonly capMs?: number };
  readonly timeoutMs?: number;
}

/** Stops a tool until it can go on: the channel throws it, and the tool must not catch it. */
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

/** A channel to callers nobody can ask. */
export function noChannel(): Channel {
  return {
    capabilities: {},
    request: (key, request) => Promise.reject(missingCapability(key, request)),
    step: async (_key, work) => work(),
  };
}
