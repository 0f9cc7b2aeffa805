/** What is remembered of each call, read and denial. */
import type { Caller } from '../access/caller.ts';
import type { CatalogTool } from '../catalog/compiled-tool.ts';
import type { RequestInfo } from '../define/context.ts';
import type { ToolAnswer } from './tool-answer.ts';

/** What went into a call of a tool and came out, as it is: whoever keeps it makes it fit to be kept first. */
export interface CallBody {
  readonly tool: Pick<CatalogTool, 'effect' | 'definition'>;
  readonly args: unknown;
  /** Absent when the call ended with a fault. */
  readonly answer?: ToolAnswer | undefined;
  /** The text of the fault. */
  readonly message?: string | undefined;
}

/** One finished or refused call. */
export interface CallRecord {
  readonly caller: Caller;
  /** A method of the protocol, or `rest` for a route of a toolset; the name is the route's then. */
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get' | 'rest';
  readonly name: string;
  readonly toolset: string;
  readonly outcome: 'ok' | 'error' | 'denied' | 'cancelled';
  readonly code: string | null;
  readonly durationMs: number;
  /** How long another server took; absent where none was asked. */
  readonly upstreamMs?: number | undefined;
  /** How long it slept, or its client took to answer what it was asked. */
  readonly waitedMs?: number | undefined;
  readonly info: RequestInfo;
  /** Only calls of tools have one, and no denial. */
  readonly body?: CallBody | undefined;
}

/** Takes records; must not throw and must not wait. */
export type Observer = (record: CallRecord) => void;
