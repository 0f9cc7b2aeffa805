/** What the server and the process of a plugin say to each other: one line of JSON each, in both directions. */

/** To the process. */
export type ToPlugin =
  | { readonly type: 'load'; readonly entry: string }
  | { readonly type: 'start' }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly tool: string;
      readonly input: unknown;
      readonly context: CallFacts;
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'answer'; readonly ask: number; readonly ok: true; readonly value: unknown }
  | {
      readonly type: 'answer';
      readonly ask: number;
      readonly ok: false;
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: 'unload' };

/** What a handler is told of its call. */
export interface CallFacts {
  readonly agentId: string;
  readonly sessionId: string | null;
  readonly grantedCapabilities: readonly string[];
}

/** From the process, as one that keeps to the rules sends it; the server takes nothing of it for granted. */
export type FromPlugin =
  | { readonly type: 'described'; readonly plugin: unknown }
  | { readonly type: 'started' }
  | { readonly type: 'unloaded'; readonly error?: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'done'; readonly id: number; readonly text: string; readonly data?: unknown }
  | { readonly type: 'threw'; readonly id: number; readonly code: ThrownCode; readonly message: string }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly ask: number;
      readonly what: string;
      readonly args: readonly unknown[];
    };

/** `invalid`: the plugin's own schema refused the input. `invalid_result`: what it returned is no result. */
export type ThrownCode = 'plugin_failed' | 'invalid' | 'invalid_result';
