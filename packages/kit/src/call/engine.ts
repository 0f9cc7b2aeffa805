/** The enforcing core: resolve, check, run, check again, record. Every surface calls tools through it and nothing else. */
import { randomBytes } from 'node:crypto';
import type { Core } from './call.ts';
import type { Caller } from '../access/caller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { decodeCursor } from '../catalog/cursor.ts';
import type { Documents } from './documents.ts';
import { createDocuments } from './documents.ts';
import { LONGEST_NAME, shortened } from './exchange.ts';
import type { Extension } from '../protocol/extension.ts';
import { narrowed } from '../catalog/listing.ts';
import type { Middleware } from './middleware.ts';
import type { Observer } from './record.ts';
import type { StateSealer } from '../channel/sealed-state.ts';
import { createStateSealer } from '../channel/sealed-state.ts';
import type { Guarded, HiddenReason } from '../access/resolver.ts';
import { hiddenReason } from '../access/resolver.ts';
import type { StepStore } from '../channel/steps.ts';
import { memorySteps } from '../channel/steps.ts';
import type { TaskSeam } from './task-seam.ts';
import type { ToolCalls } from './tool-calls.ts';
import { createToolCalls } from './tool-calls.ts';
import type { Installed } from '../define/toolset.ts';
import type { ToolPage, View } from '../catalog/caller-view.ts';
import { Views } from '../catalog/caller-view.ts';

/** What an engine is built from. */
export interface EngineOptions {
  readonly installed: readonly Installed[];
  readonly middleware?: readonly Middleware[];
  /** Shared by all replicas, so that any of them can finish a round trip; absent: a key of this process. */
  readonly sealer?: StateSealer;
  readonly steps?: StepStore;
  /** Runs tools that may be tasks as tasks; absent: everything runs inline. */
  readonly tasks?: TaskSeam;
  /** Gets one record per call, read and denial. */
  readonly observe?: Observer;
  /** Gets faults whose details no client may see. */
  readonly onFault?: (error: unknown, where: string) => void;
  readonly maxResultBytes?: number;
}

/** An engine over some toolsets. */
export interface Engine extends ToolCalls {
  readonly catalog: Catalog;
  readonly documents: Documents;
  view(caller: Caller): View;
  /** Tools by name, in pages; a bad cursor is a protocol fault. */
  list(caller: Caller, cursor?: string): ToolPage;
  /** Protocol extensions that come with the engine. */
  readonly extensions: readonly Extension[];
  /** Why a caller does not have a tool, resource or prompt; undefined when they have it. */
  explain(caller: Caller, name: string): HiddenReason | 'unknown' | undefined;
  /** The same engine, narrowed to some toolsets. */
  narrow(toolsets: readonly string[]): Engine;
}

const MAX_RESULT_BYTES = 1024 * 1024;

/** Creates an engine; throws when two tools share a name or a name is ill-formed. */
export function createEngine(options: EngineOptions): Engine {
  const core: Core = {
    sealer: options.sealer ?? createStateSealer([randomBytes(32)]),
    steps: options.steps ?? memorySteps(),
    observe: withShortNames(options.observe ?? (() => undefined)),
    onFault: options.onFault ?? (() => undefined),
    middleware: options.middleware ?? [],
    tasks: options.tasks,
    maxResultBytes: options.maxResultBytes ?? MAX_RESULT_BYTES,
  };
  return engineOver(createCatalog(options.installed, options.tasks?.handleSchema), core);
}

/** A name that is nobody's may be as long as a body; no record needs all of it. */
function withShortNames(observe: Observer): Observer {
  return (record) => {
    const name = shortened(record.name, LONGEST_NAME);
    observe(name === record.name ? record : { ...record, name });
  };
}

function engineOver(catalog: Catalog, core: Core): Engine {
  const filters = core.middleware.flatMap(({ list }) => (list === undefined ? [] : [list]));
  const views = new Views(catalog, filters);
  return {
    catalog,
    documents: createDocuments(views, core),
    view: (caller) => views.of(caller),
    list: (caller, cursor) => views.of(caller).page(caller, cursor === undefined ? '' : decodeCursor(cursor)),
    extensions: core.tasks === undefined ? [] : [core.tasks.extension],
    ...createToolCalls(catalog, views, core),
    explain(caller, name) {
      const item = guardedIn(catalog, name);
      return item === undefined ? 'unknown' : hiddenReason(item, caller);
    },
    narrow: (toolsets) => engineOver(narrowed(catalog, toolsets), core),
  };
}

/** The tool, resource or prompt of a name; one name means the same grant for all three. */
function guardedIn({ tools, resources, prompts }: Catalog, name: string): Guarded | undefined {
  return [...tools, ...resources, ...prompts].find((item) => item.name === name);
}
