/** Where durable tasks plug in: the kit decides that a call is one, the task package decides what the client gets. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { CatalogTool } from '../catalog/compiled-tool.ts';
import type { Exchange } from './exchange.ts';
import type { Extension } from '../protocol/extension.ts';
import type { CreatedTask } from './tool-answer.ts';

/** A call of a tool that may run as a task; its input has been checked. */
export interface TaskCall {
  readonly tool: CatalogTool;
  readonly args: unknown;
  readonly input: unknown;
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** What the tool prepared before the task exists. */
  readonly prepared: unknown;
  /** The task that an earlier round of the same call has made. */
  readonly taskId: string | undefined;
  /** How often this call has been answered with a question already. */
  readonly rounds: number;
  /** The progress that earlier rounds have reported. */
  readonly told: number | undefined;
  /** Seals a task, and the progress told of it, into the state that the next round brings back. */
  seal(taskId: string, told: number | undefined): string;
  /** Says that the answer stands for work that goes on, which the record of the call tells. */
  handOut(): void;
}

/** Runs calls as durable tasks. */
export interface TaskSeam {
  /** The extension through which clients follow their tasks. */
  readonly extension: Extension;
  /** The schema of the answer that stands for a task that is still running. */
  readonly handleSchema: Readonly<Record<string, unknown>>;
  /** True for a caller who learns what becomes of a task, by the extension or by a tool. */
  canFollow(caller: Caller, exchange: Exchange): boolean;
  /** Throws when the client lacks what the tool needs, before any code of the tool runs. */
  admit(tool: CatalogTool, exchange: Exchange): void;
  call(call: TaskCall): Promise<CallToolResult | InputRequiredResult | CreatedTask>;
  /** Makes a task that follows one of another server, for a client that declared the extension. */
  follow(call: TaskCall): Promise<CreatedTask>;
}
